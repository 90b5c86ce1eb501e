package charts;

import java.awt.Color;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import results.ManyReaders;
import results.ManyReaders.Reader;
import results.ManyReaders.Run;

/**
 * What each of many readers has got over time, a panel for each way to serve them: of all runs in a file those with the
 * most readers whose lines can still be told apart.
 */
final class ReadersOverTime {
    private static final int MOST_LINES = 100;
    private static final int FEW_LINES = 20; // which are drawn thicker

    private ReadersOverTime() { }

    static String heading(ManyReaders result) {
        Run any = shown(result).get(0);
        return Text.size(result.settings().size()) + " to each of " + any.readers() + " readers, " + (any.stuck() == 0
                ? "who all read" : "of whom " + any.stuck() + (any.stuck() == 1 ? " never reads" : " never read"));
    }

    private static List<Run> shown(ManyReaders result) {
        int readers = result.runs().stream().map(Run::readers).filter(all -> all <= MOST_LINES)
                .max(Comparator.naturalOrder())
                .orElseGet(() -> result.runs().stream().map(Run::readers).min(Comparator.naturalOrder()).orElseThrow());
        return result.runs().stream().filter(run -> run.readers() == readers).toList();
    }

    static List<XYChart> panels(ManyReaders result, Layer layer) {
        List<Run> runs = shown(result);
        double end = runs.stream().mapToDouble(ReadersOverTime::lastMove).max().orElseThrow();
        Text.Unit unit = Text.Unit.of(result.settings().size());
        List<XYChart> panels = new ArrayList<>();
        for (Run run : runs) {
            XYChart panel = new XYChart(Style.DESIGN_WIDTH, Style.DESIGN_WIDTH);
            Style.apply(panel);
            panel.setTitle(title(run));
            panel.setXAxisTitle("seconds since all readers were connected");
            panel.setYAxisTitle(unit.name());
            panel.getStyler().setXAxisMin(0.0).setXAxisMax(Math.max(end, 0.001)).setXAxisTitleVisible(false)
                    .setXAxisTickLabelsFormattingFunction(Text::plain)
                    .setYAxisTickLabelsFormattingFunction(Text::plain).setYAxisMin(0.0)
                    .setYAxisMax(Math.max(1, result.settings().size() / unit.bytes()));
            draw(panel, run, layer, false, end, unit);
            draw(panel, run, layer, true, end, unit);
            panels.add(panel);
        }
        panels.get(panels.size() - 1).getStyler().setXAxisTitleVisible(true);
        return panels;
    }

    /** Of a run that was stopped, the last sample only says that nothing moved any more. */
    private static double lastMove(Run run) {
        int last = run.progress().times().size() - (run.delivery().stoppedSeconds() == null ? 1 : 2);
        return run.progress().times().get(Math.max(0, last)).doubleValue();
    }

    private static String title(Run run) {
        int healthy = run.readers() - run.stuck();
        return run.way() + ": " + (run.delivery().served() == healthy
                ? "all " + healthy + " who read are served in " + Text.duration(seconds(run)) : run.delivery().served()
                + " of " + healthy + " who read are served" + (run.delivery().stoppedSeconds() == null ? ""
                : ", stopped after " + Text.duration(run.delivery().stoppedSeconds().doubleValue())));
    }

    private static double seconds(Run run) {
        return run.delivery().servedSeconds() == null ? 0 : run.delivery().servedSeconds().doubleValue();
    }

    /** The lines of these readers, up to the end of the panel. */
    private static void draw(XYChart panel, Run run, Layer layer, boolean stuck, double end, Text.Unit unit) {
        Points points = new Points();
        for (Reader reader : run.progress().readers()) {
            if (reader.stuck() == stuck) {
                addLine(points, run, reader, end, unit);
            }
        }
        boolean few = run.readers() <= FEW_LINES;
        Color reads = Style.colour(0);
        Color thin = new Color(reads.getRed(), reads.getGreen(), reads.getBlue(), few ? 0xB0 : 0x60);
        points.drawLine(panel, XYSeriesRenderStyle.Step, layer, stuck ? "a reader that never reads"
                : "a reader that reads", stuck ? Style.colour(1) : thin, Style.stroke(stuck ? 2.5f : few ? 1.5f : 1));
    }

    private static void addLine(Points points, Run run, Reader reader, double end, Text.Unit unit) {
        if (!points.isEmpty()) {
            points.add(Double.NaN, Double.NaN);
        }
        double bytes = 0;
        for (int i = 0; i < reader.bytes().size() && run.progress().times().get(i).doubleValue() <= end; i++) {
            bytes = reader.bytes().get(i) / unit.bytes();
            points.add(run.progress().times().get(i).doubleValue(), bytes);
        }
        points.add(end, bytes);
    }
}
