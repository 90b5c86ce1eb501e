package charts;

import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;

/**
 * User and system CPU time of each sender: of its sending thread; where a foreign command reports none, that of the
 * whole process for all.
 */
final class CpuChart implements Chart {
    @Override
    public String heading() {
        return "CPU time";
    }

    @Override
    public String data() {
        return "CPU time";
    }

    @Override
    public String nothing() {
        return "has no CPU time; predictions have none";
    }

    @Override
    public boolean shows(Trace run) {
        return run.error() == null && (run.cpu(true, false) != null
                || run.run().who().strategy() == null && run.cpu(false, false) != null);
    }

    @Override
    public List<CategoryChart> panels(List<Layer> layers) {
        boolean threads = Layer.runs(layers).allMatch(run -> run.cpu(true, false) != null);
        boolean repeated = layers.stream().anyMatch(layer -> layer.runs().size() > layer.senders().size());
        List<String> senders = Layer.senders(layers);
        CategoryChart panel = new CategoryChart(Style.DESIGN_WIDTH, Style.DESIGN_WIDTH);
        Style.apply(panel);
        panel.setYAxisTitle("CPU seconds of " + (threads ? "the sending thread" : "process with start-up")
                + (repeated ? " (median)" : ""));
        for (Layer layer : layers) {
            drawBars(panel, layer, senders, threads, false);
            drawBars(panel, layer, senders, threads, true);
        }
        double widest = senders.stream().mapToDouble(sender -> Style.width(sender, Style.FONT)).max().orElseThrow();
        boolean fits = senders.size() * (widest + 10) < Style.DESIGN_WIDTH - Style.AXIS_WIDTH;
        double most = panel.getSeriesCollection().stream().mapToDouble(CategorySeries::getYMax).max().orElseThrow();
        panel.getStyler().setLabelsVisible(true).setLabelsPosition(1.1).setLabelsFont(Style.FONT)
                .setAvailableSpaceFill(0.7).setYAxisMin(0.0).setYAxisMax(Math.max(0.1, 1.1 * most))
                .setYAxisDecimalPattern("0.00").setPlotGridVerticalLinesVisible(false)
                .setXAxisLabelRotation(fits ? 0 : 20);
        return List.of(panel);
    }

    private static void drawBars(CategoryChart panel, Layer layer, List<String> senders, boolean threads,
            boolean system) {
        String label = system ? "system" : "user";
        List<Double> seconds = senders.stream().map(sender -> median(layer, sender, threads, system)).toList();
        int number = panel.getSeriesCollection().size();
        panel.addSeries(layer.name(label), senders, seconds)
                .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Bar)
                .setFillColor(Style.colour(number)).setLabel(label);
    }

    /** Median over the runs of a sender; NaN where there are none. */
    private static double median(Layer layer, String sender, boolean thread, boolean system) {
        double[] seconds = layer.runs(sender).stream().map(run -> run.cpu(thread, system)).filter(Objects::nonNull)
                .mapToDouble(BigDecimal::doubleValue).sorted().toArray();
        int middle = seconds.length / 2;
        return seconds.length == 0 ? Double.NaN
                : seconds.length % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
    }
}
