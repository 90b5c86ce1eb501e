package charts;

import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import results.ManyReaders;
import results.ManyReaders.Run;

/** What each way to serve readers costs, over their number: CPU time and memory of the writer's process. */
final class Scale {
    /** In the colours and symbols that these strategies have in other charts; threads takes the one that is free. */
    private static final List<String> WAYS = List.of("blocking", "threads", "poll", "virtual");
    private static final double AROUND = 1.1; // room for the last number on an axis and the highest point

    private Scale() { }

    static List<XYChart> panels(ManyReaders result, Layer layer) {
        XYChart cpu = panel(result, layer, "CPU time of the writer, user and system", "seconds",
                run -> run.cost().user() == null ? null : run.cost().user().add(run.cost().system()));
        XYChart memory = panel(result, layer, "most memory of the writer, with its JVM", "MiB",
                run -> run.cost().peakMemory() == null ? null
                        : BigDecimal.valueOf(run.cost().peakMemory() / 1048576.0));
        cpu.getStyler().setXAxisTitleVisible(false);
        return List.of(cpu, memory);
    }

    private static XYChart panel(ManyReaders result, Layer layer, String title, String unit,
            Function<Run, BigDecimal> figure) {
        XYChart panel = new XYChart(Style.DESIGN_WIDTH, Style.DESIGN_WIDTH);
        Style.apply(panel);
        panel.setXAxisTitle("readers");
        panel.setTitle(title);
        panel.setYAxisTitle(unit);
        double least = readers(result).min(Integer::compare).orElseThrow();
        double most = readers(result).max(Integer::compare).orElseThrow();
        double first = Math.pow(10, Math.floor(Math.log10(least)));
        double last = Math.max(10 * first, Math.pow(10, Math.ceil(Math.log10(most))));
        panel.getStyler().setXAxisLogarithmic(true).setXAxisMin(first).setXAxisMax(AROUND * last)
                .setYAxisMin(0.0)
                .setXAxisTickLabelsFormattingFunction(Text::plain)
                .setYAxisTickLabelsFormattingFunction(Text::plain);
        double highest = result.runs().stream().map(figure).filter(Objects::nonNull)
                .mapToDouble(BigDecimal::doubleValue).max().orElse(1);
        panel.getStyler().setYAxisMax(AROUND * highest);
        for (String way : result.runs().stream().map(Run::way).distinct().toList()) {
            draw(panel, result.runs().stream().filter(run -> run.way().equals(way)).toList(), layer, figure);
        }
        return panel;
    }

    private static Stream<Integer> readers(ManyReaders result) {
        return result.runs().stream().map(Run::readers);
    }

    private static void draw(XYChart panel, List<Run> runs, Layer layer, Function<Run, BigDecimal> figure) {
        Points points = new Points();
        for (Run run : runs) {
            BigDecimal value = figure.apply(run);
            points.add(run.readers(), value == null ? Double.NaN : value.doubleValue());
        }
        boolean served = runs.stream().allMatch(run -> run.delivery().served() == run.readers() - run.stuck());
        String label = runs.get(0).way() + (served ? "" : ", which does not serve all");
        int number = WAYS.indexOf(runs.get(0).way());
        XYSeries series = panel.addSeries(layer.name(label), points.x, points.y);
        series.setMarker(new Symbol(number, 9, 0)).setMarkerColor(Style.colour(number)).setLabel(label);
        series.setLineColor(Style.colour(number)).setLineStyle(Style.stroke(2));
    }
}
