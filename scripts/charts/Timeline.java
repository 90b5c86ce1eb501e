package charts;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Bytes accepted and delivered over time, and the queue between them; a panel for each sender. A sender learns what was
 * accepted when its write returns, so that of a blocking sender shows late and all at once.
 */
final class Timeline implements Chart {
    @Override
    public String heading() {
        return "Accepted and delivered";
    }

    @Override
    public String data() {
        return "bytes";
    }

    @Override
    public String nothing() {
        return "has no bytes that were accepted or delivered";
    }

    @Override
    public boolean shows(Trace run) {
        return run.most() > 0;
    }

    @Override
    public List<XYChart> panels(List<Layer> layers) {
        double most = Layer.runs(layers).mapToDouble(Trace::most).max().orElseThrow();
        Text.Unit unit = Text.Unit.of(most);
        List<XYChart> panels = new ArrayList<>();
        for (String sender : Layer.senders(layers)) {
            XYChart panel = Style.timePanel(layers, unit.name());
            Layer first = layers.stream().filter(layer -> !layer.runs(sender).isEmpty()).findFirst().orElseThrow();
            panel.setTitle(first.summary(sender) + (layers.size() > 1 ? " (" + first.label() + ")" : ""));
            panel.getStyler().setYAxisMin(0.0).setYAxisMax(most / unit.bytes()).setXAxisTitleVisible(false);
            for (Layer layer : layers) {
                draw(panel, layer, sender, unit);
            }
            panels.add(panel);
        }
        panels.get(panels.size() - 1).getStyler().setXAxisTitleVisible(true);
        return panels;
    }

    /** The first layer is drawn in colours, the others as thin broken lines on top of it. */
    private static void draw(XYChart panel, Layer layer, String sender, Text.Unit unit) {
        Points queued = new Points();
        Points delivered = new Points();
        Points accepted = new Points();
        Points failed = new Points();
        for (Trace run : layer.runs(sender)) {
            addSteps(delivered, run, "received", unit);
            if (run.reportsWrites()) {
                addSteps(accepted, run, "wrote", unit);
                if (layer.number() == 0 && queued.isEmpty()) {
                    addQueue(queued, run, unit);
                }
            }
            if (run.error() != null) {
                failed.add(run.end(), run.most() / unit.bytes());
            }
        }
        boolean base = layer.number() == 0;
        Color over = layer.number() == 1 ? Color.BLACK : Style.colour(layer.number() + 1);
        queued.drawLine(panel, XYSeriesRenderStyle.PolygonArea, layer,
                layer.runs(sender).size() > 1 ? "queued in the kernel, first run" : "queued in the kernel",
                new Color(0x4056B4E9, true), SeriesLines.NONE);
        accepted.drawLine(panel, XYSeriesRenderStyle.Step, layer, "accepted, as its writes returned",
                base ? Style.colour(0) : over, base ? Style.stroke(2.5f) : Style.stroke(1.3f, 6, 4));
        delivered.drawLine(panel, XYSeriesRenderStyle.Step, layer, "delivered",
                base ? Style.colour(1) : over, base ? Style.stroke(2.5f) : Style.stroke(1.3f, 1.3f, 3));
        failed.drawMarkers(panel, layer, "failed", Color.BLACK, SeriesMarkers.CROSS);
    }

    /** The bytes of these events, summed up, from the beginning to the end of the run. */
    private static void addSteps(Points points, Trace run, String event, Text.Unit unit) {
        if (!points.isEmpty()) {
            points.add(Double.NaN, Double.NaN);
        }
        double sum = 0;
        points.add(0, 0);
        for (Trace.Step step : run.steps(event).toList()) {
            sum += step.bytes();
            points.add(step.time(), sum / unit.bytes());
        }
        points.add(run.end(), sum / unit.bytes());
    }

    /** The outline of what is accepted and not delivered: forth along the one, and back along the other. */
    private static void addQueue(Points points, Trace run, Text.Unit unit) {
        Points back = new Points();
        double accepted = 0;
        double delivered = 0;
        for (Trace.Step step : run.steps()) {
            boolean wrote = step.event().equals("wrote");
            if (wrote || step.event().equals("received")) {
                points.add(step.time(), Math.max(accepted, delivered) / unit.bytes());
                back.add(step.time(), delivered / unit.bytes());
                accepted += wrote ? step.bytes() : 0;
                delivered += wrote ? 0 : step.bytes();
                points.add(step.time(), Math.max(accepted, delivered) / unit.bytes());
                back.add(step.time(), delivered / unit.bytes());
            }
        }
        points.add(run.end(), Math.max(accepted, delivered) / unit.bytes());
        back.add(run.end(), delivered / unit.bytes());
        for (int i = back.x.size() - 1; i >= 0; i--) {
            points.add(back.x.get(i), back.y.get(i));
        }
    }
}
