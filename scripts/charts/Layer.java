package charts;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.knowm.xchart.internal.series.Series;
import results.Comparison;
import results.Comparison.Settings;
import results.Json;

/**
 * A comparison in a picture, where several lie over each other.
 *
 * @param source where it is from, for errors
 * @param label tells it from the others
 * @param number 0 for the one at the bottom
 */
public record Layer(String source, String label, int number, Settings settings, List<Trace> runs) {
    /**
     * Reads comparison files. Their labels are their kinds, with as much of the path as it takes to be distinct.
     *
     * @throws java.nio.file.FileSystemException with a line for the user: a file cannot be read or is no comparison
     */
    public static List<Layer> read(List<Path> files) throws IOException {
        List<Layer> layers = new ArrayList<>();
        for (Path file : files.stream().distinct().toList()) {
            layers.add(of(file.toString(), layers.size(), Json.read(file)));
        }
        return labelled(layers, List.of(layer -> "", layer -> ", " + Path.of(layer.source).getFileName(),
                layer -> ", " + layer.source));
    }

    /** Comparisons in memory. Their labels are their kinds, numbered if it takes that to be distinct. */
    public static List<Layer> of(List<Comparison> comparisons) throws IOException {
        List<Layer> layers = new ArrayList<>();
        for (Comparison comparison : comparisons) {
            layers.add(of("comparison " + (layers.size() + 1), layers.size(), comparison));
        }
        return labelled(layers, List.of(layer -> "", layer -> " " + (layer.number + 1)));
    }

    private static Layer of(String source, int number, Comparison comparison) throws IOException {
        List<Trace> runs = new ArrayList<>();
        for (Comparison.Run run : comparison.runs()) {
            runs.add(Trace.of(run));
        }
        return new Layer(source, comparison.kind(), number, comparison.settings(), runs);
    }

    /** Adds to the labels the first of these that makes them distinct, or the last. */
    private static List<Layer> labelled(List<Layer> layers, List<Function<Layer, String>> additions) {
        List<Layer> labelled = layers;
        for (Function<Layer, String> addition : additions) {
            labelled = layers.stream().map(layer -> new Layer(layer.source, layer.label + addition.apply(layer),
                    layer.number, layer.settings, layer.runs)).toList();
            if (labelled.stream().map(Layer::label).distinct().count() == labelled.size()) {
                break;
            }
        }
        return labelled;
    }

    List<Trace> runs(String sender) {
        return runs.stream().filter(run -> run.sender().equals(sender)).toList();
    }

    List<String> senders() {
        return runs.stream().map(Trace::sender).distinct().toList();
    }

    /** The same with those runs alone that have something to show in this chart. */
    Layer only(Chart chart) {
        return new Layer(source, label, number, settings, runs.stream().filter(chart::shows).toList());
    }

    /** What this chart cannot show, one line each. */
    public List<String> gaps(ChartType type) {
        List<String> shown = only(type.chart).senders();
        String gap = source + ": no " + type.chart.data();
        return shown.isEmpty() ? List.of(gap + " in it") : senders().stream()
                .filter(sender -> !shown.contains(sender)).map(sender -> gap + " of " + sender).toList();
    }

    /** The name of a series, which XChart wants to be distinct. */
    String name(String series) {
        return series + " (" + label + ")";
    }

    boolean owns(Series series) {
        return series.getName().equals(name(series.getLabel()));
    }

    String shortLabel() {
        return Text.shorten(label, 40);
    }

    /** What was sent and how it was read; empty if that is not known. */
    String sent() {
        BigDecimal interval = settings.interval();
        return settings.size() == null || settings.readSize() == null || interval == null ? ""
                : Text.size(settings.size()) + " to a reader that takes " + Text.size(settings.readSize())
                + (interval.signum() > 0 ? " every " + Text.plain(interval.doubleValue()) + " s" : " at a time");
    }

    /** How many events of a name there are of a sender. */
    long count(String sender, String event) {
        return runs(sender).stream().flatMap(run -> run.steps(event)).count();
    }

    String writeCount(String sender) {
        long writes = count(sender, "wrote");
        return writes + (writes == 1 ? " write" : " writes");
    }

    /** One line about the runs of a sender. */
    String summary(String sender) {
        List<Trace> ofSender = runs(sender);
        Trace first = ofSender.get(0);
        if (ofSender.size() > 1) {
            long failed = ofSender.stream().filter(run -> run.error() != null).count();
            return sender + ": " + ofSender.size() + " runs" + (failed == 0 ? "" : ", " + failed + " failed");
        }
        if (first.error() != null) {
            String error = first.error().startsWith(sender) ? first.error() : sender + ": " + first.error();
            return Text.shorten(error, 100);
        }
        return sender + ": " + Stream.of(
                first.reportsWrites() ? writeCount(sender) : null,
                time("accepted in ", first.run().times().acceptedSeconds()),
                time("delivered in ", first.run().times().deliveredSeconds()),
                Boolean.FALSE.equals(first.run().outcome().intact()) ? "not intact" : null)
                .filter(Objects::nonNull).collect(Collectors.joining(", "));
    }

    private static String time(String what, BigDecimal seconds) {
        return seconds == null ? null : what + Text.plain(seconds.doubleValue()) + " s";
    }

    /** The runs of all layers. */
    static Stream<Trace> runs(List<Layer> layers) {
        return layers.stream().flatMap(layer -> layer.runs.stream());
    }

    /** The senders of all layers, each once, in the order of the files. */
    static List<String> senders(List<Layer> layers) {
        return runs(layers).map(Trace::sender).distinct().toList();
    }
}
