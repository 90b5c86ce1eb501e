package charts;

import java.awt.BasicStroke;
import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The data of a series in the making; NaN parts one run from the next. A series without data is not drawn. */
final class Points {
    /** Of the same colour and symbol in every picture; the others follow. */
    private static final List<String> KIT_SENDERS =
            List.of("blocking-sender", "nonblocking-sender", "poll-sender", "virtual-sender");
    private static final int MANY = 100; // points of a series, which are drawn smaller then

    final List<Double> x = new ArrayList<>();
    final List<Double> y = new ArrayList<>();

    boolean isEmpty() {
        return x.isEmpty();
    }

    void add(double newX, double newY) {
        x.add(newX);
        y.add(newY);
    }

    void drawLine(XYChart panel, XYSeriesRenderStyle style, Layer layer, String label, Color colour,
            BasicStroke stroke) {
        if (!isEmpty()) {
            XYSeries series = panel.addSeries(layer.name(label), x, y);
            series.setXYSeriesRenderStyle(style).setMarker(SeriesMarkers.NONE);
            series.setLineColor(colour).setLineStyle(stroke).setFillColor(colour).setLabel(label);
        }
    }

    void drawMarkers(XYChart panel, Layer layer, String label, Color colour, Marker marker) {
        if (!isEmpty()) {
            XYSeries series = panel.addSeries(layer.name(label), x, y);
            series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
            series.setMarker(marker).setMarkerColor(colour).setLabel(label);
        }
    }

    /** Text about the events of a sender. */
    interface Count {
        String of(Layer layer, String sender);
    }

    /** Draws a point for each event of a name, in a series for each sender of each layer. */
    static void scatter(XYChart panel, List<Layer> layers, String event, ToDoubleFunction<Trace.Step> height,
            Count count) {
        List<String> senders = Stream.concat(KIT_SENDERS.stream(), Layer.senders(layers).stream()).distinct().toList();
        for (Layer layer : layers) {
            for (String sender : layer.senders()) {
                Points points = new Points();
                layer.runs(sender).stream().flatMap(run -> run.steps(event))
                        .forEach(step -> points.add(step.time(), height.applyAsDouble(step)));
                int number = senders.indexOf(sender);
                points.drawMarkers(panel, layer, sender + ", " + count.of(layer, sender), Style.colour(number),
                        new Symbol(number, points.x.size() > MANY ? 5 : 9, layer.number()));
            }
        }
    }
}
