package charts;

import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;

/**
 * When each beat ran, and how late. One that is less than a microsecond late, the resolution of the events, is drawn as
 * that late.
 */
final class Heartbeat implements Chart {
    private static final double MICROSECOND = 1e-6;

    @Override
    public String heading() {
        return "Lateness of each beat";
    }

    @Override
    public String data() {
        return "beats";
    }

    @Override
    public String nothing() {
        return "has no beats; run compare with --heartbeat";
    }

    @Override
    public boolean shows(Trace run) {
        return run.has("beat");
    }

    @Override
    public List<XYChart> panels(List<Layer> layers) {
        XYChart panel = Style.timePanel(layers, "lateness (logarithmic)");
        Points.scatter(panel, layers, "beat", step -> Math.max(step.late(), MICROSECOND), Heartbeat::count);
        double worst = panel.getSeriesCollection().stream().mapToDouble(XYSeries::getYMax).max().orElseThrow();
        Style.logarithmic(panel, MICROSECOND, Math.max(2 * worst, 10));
        panel.getStyler().setYAxisTickLabelsFormattingFunction(
                late -> late > MICROSECOND ? Text.duration(late) : "\u2264 " + Text.duration(late));
        return List.of(panel);
    }

    private static String count(Layer layer, String sender) {
        List<Long> due = layer.runs(sender).stream().map(run -> run.run().beats().beatsDue()).toList();
        return layer.count(sender, "beat")
                + (due.contains(null) ? "" : " of " + due.stream().mapToLong(beats -> beats).sum()) + " beats";
    }
}
