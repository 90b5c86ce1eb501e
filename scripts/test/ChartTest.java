import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import charts.ChartType;
import charts.Layer;
import charts.Picture;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.AxesChart;

/** The data behind each chart are those of the file. */
class ChartTest {
    private static final List<String> SENDERS = List.of("blocking-sender", "nonblocking-sender", "poll-sender");

    @Test
    void timelineShowsEveryByteAcceptedAndDelivered() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.measured();
            List<XYChart> panels = timeline(layers(kit, comparison));
            assertEquals(3, panels.size());
            for (int i = 0; i < 3; i++) {
                JsonObject run = Samples.run(comparison, i);
                assertTrue(panels.get(i).getTitle().startsWith(SENDERS.get(i) + ": "), panels.get(i).getTitle());
                assertSteps(run, "wrote", panels.get(i).getSeries("accepted, as its writes returned (measured)"));
                assertSteps(run, "received", panels.get(i).getSeries("delivered (measured)"));
            }
            String title = panels.get(2).getTitle();
            assertTrue(title.matches("poll-sender: 6 writes, accepted in 4\\.\\d+ s, delivered in 5\\.\\d+ s"), title);
        }
    }

    /** From 0, a step at each event, and on to the last of both sides. */
    private static void assertSteps(JsonObject run, String event, XYSeries series) {
        List<JsonObject> steps = Samples.events(run, event).toList();
        double end = Samples.figures(Samples.events(run, "received"), "time").max().orElseThrow();
        double last = steps.get(steps.size() - 1).get("total").getAsDouble();
        assertArrayEquals(concat(0, Samples.figures(steps.stream(), "time"), end), series.getXData());
        assertArrayEquals(concat(0, Samples.figures(steps.stream(), "total"), last), bytes(series));
        assertEquals(1048576, last);
    }

    private static double[] concat(double first, DoubleStream middle, double last) {
        return Stream.of(DoubleStream.of(first), middle, DoubleStream.of(last)).flatMapToDouble(part -> part).toArray();
    }

    private static double[] bytes(XYSeries series) {
        return Arrays.stream(series.getYData()).map(kib -> kib * 1024).toArray();
    }

    /** The area of the shade is the sum of the bytes in the queue, each times how long it was there. */
    @Test
    void queueIsShadedBetweenAcceptedAndDelivered() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.measured();
            List<XYChart> panels = timeline(layers(kit, comparison));
            for (int i = 0; i < 3; i++) {
                double expected = 0;
                double queued = 0;
                double since = 0;
                for (JsonObject event : Samples.events(Samples.run(comparison, i), null).toList()) {
                    String name = event.get("event").getAsString();
                    if (name.equals("wrote") || name.equals("received")) {
                        double time = event.get("time").getAsDouble();
                        expected += Math.max(0, queued) * (time - since);
                        queued += (name.equals("wrote") ? 1 : -1) * event.get("bytes").getAsDouble();
                        since = time;
                    }
                }
                XYSeries shade = panels.get(i).getSeries("queued in the kernel (measured)");
                double[] x = shade.getXData();
                double[] y = shade.getYData();
                double area = IntStream.range(0, x.length).mapToDouble(p -> {
                    int next = (p + 1) % x.length;
                    return (x[next] - x[p]) * (y[next] + y[p]) / 2;
                }).sum();
                assertEquals(expected, area * 1024, 1, SENDERS.get(i));
            }
        }
    }

    @Test
    void writesAreThoseOfTheSeed() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.measured();
            XYChart chart = (XYChart) Picture.panels(ChartType.WRITES, layers(kit, comparison)).get(0);
            DoubleStream small = IntStream.range(0, 22).mapToDouble(i -> 36544);
            DoubleStream large = IntStream.range(0, 4).mapToDouble(i -> 182720);
            Map<String, double[]> expected = Map.of(
                    "blocking-sender, 1 write (measured)", new double[] {1048576},
                    "nonblocking-sender, 24 writes (measured)", concat(219264, small, 25344),
                    "poll-sender, 6 writes (measured)", concat(219264, large, 98432));
            assertEquals(expected.keySet(), names(chart));
            int i = 0;
            for (XYSeries series : chart.getSeriesCollection()) {
                assertArrayEquals(expected.get(series.getName()), bytes(series));
                JsonObject run = Samples.run(comparison, i++);
                assertArrayEquals(Samples.figures(Samples.events(run, "wrote"), "time").toArray(), series.getXData());
            }
        }
    }

    @Test
    void heartbeatShowsEveryBeat() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.measured();
            XYChart chart = (XYChart) Picture.panels(ChartType.HEARTBEAT, layers(kit, comparison)).get(0);
            assertEquals(3, chart.getSeriesCollection().size());
            int i = 0;
            for (XYSeries series : chart.getSeriesCollection()) {
                JsonObject run = Samples.run(comparison, i);
                assertEquals(SENDERS.get(i++) + ", " + run.get("beats_run") + " of " + run.get("beats_due")
                        + " beats (measured)", series.getName());
                assertArrayEquals(Samples.figures(Samples.events(run, "beat"), "time").toArray(), series.getXData());
                assertArrayEquals(Samples.figures(Samples.events(run, "beat"), "late")
                        .map(late -> Math.max(1e-6, late)).toArray(), series.getYData());
            }
            assertEquals(1e-6, chart.getStyler().getYAxisMin());
            assertEquals(10, chart.getStyler().getYAxisMax());
            assertTrue(chart.getStyler().isYAxisLogarithmic());
        }
    }

    @Test
    void cpuShowsTheSendingThread() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.measured();
            CategoryChart chart = cpu(layers(kit, comparison));
            assertEquals("CPU seconds of the sending thread", chart.getYAxisTitle());
            for (String figure : List.of("user", "system")) {
                CategorySeries series = chart.getSeries(figure + " (measured)");
                assertEquals(SENDERS, series.getXData());
                assertArrayEquals(Samples.figures(Samples.runs(comparison), figure).toArray(), series.getYData());
            }
        }
    }

    @Test
    void cpuOfRepeatedRunsIsTheirMedian() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.measured();
            JsonArray runs = new JsonArray();
            for (double user : new double[] {0.5, 9, 0.1, 0.2}) {
                JsonObject run = Samples.run(comparison, 2).deepCopy();
                run.addProperty("user", user);
                runs.add(run);
            }
            runs.get(1).getAsJsonObject().addProperty("error", "poll-sender: stopped by a signal");
            comparison.add("runs", runs);
            CategoryChart chart = cpu(layers(kit, comparison));
            assertEquals("CPU seconds of the sending thread (median)", chart.getYAxisTitle());
            assertArrayEquals(new double[] {0.2}, chart.getSeries("user (measured)").getYData());
        }
    }

    /** A command tells what was delivered and what its process used, and nothing else. */
    @Test
    void commandHasNoWritesOfItsOwn() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.withCommand(Samples.measured());
            List<Layer> layers = layers(kit, comparison);
            XYChart panel = timeline(layers).get(3);
            assertEquals(Set.of("delivered (measured)"), names(panel));
            assertTrue(panel.getTitle().matches("socat: delivered in 5\\.\\d+ s"), panel.getTitle());
            CategoryChart chart = cpu(layers);
            assertEquals("CPU seconds of process with start-up", chart.getYAxisTitle());
            assertArrayEquals(Samples.figures(Samples.runs(comparison), "process_user").toArray(),
                    chart.getSeries("user (measured)").getYData());
        }
    }

    @Test
    void failureIsMarkedAndTold() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.measured();
            String error = "poll-sender: slow_receiver.sock: the receiver closed the connection;"
                    + " 584704 bytes had been accepted";
            JsonObject run = Samples.cutShort(Samples.run(comparison, 2), 2, error);
            XYChart panel = timeline(layers(kit, comparison)).get(2);
            assertEquals(error, panel.getTitle());
            XYSeries cross = panel.getSeries("failed (measured)");
            double end = Samples.figures(Samples.events(run, null), "time").max().orElseThrow();
            assertArrayEquals(new double[] {end}, cross.getXData());
            assertArrayEquals(new double[] {584704 / 1024.0}, cross.getYData());
            assertNull(timeline(layers(kit, Samples.measured())).get(2).getSeries("failed (measured)"));
        }
    }

    @Test
    void runsOfOneSenderAreLinesOfOneSeries() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.measured();
            JsonObject second = Samples.run(comparison, 2).deepCopy();
            second.addProperty("run", 2);
            comparison.getAsJsonArray("runs").add(second);
            XYChart panel = timeline(layers(kit, comparison)).get(2);
            assertEquals("poll-sender: 2 runs", panel.getTitle());
            double[] x = panel.getSeries("accepted, as its writes returned (measured)").getXData();
            assertEquals(2 * (6 + 2) + 1, x.length);
            assertTrue(Double.isNaN(x[8]), "a gap between the runs");
            assertEquals(Set.of("accepted, as its writes returned (measured)", "delivered (measured)",
                    "queued in the kernel, first run (measured)"), names(panel));
        }
    }

    private static List<Layer> layers(Kit kit, JsonObject comparison) throws IOException {
        return Layer.read(List.of(Samples.write(kit, "comparison.json", comparison)));
    }

    private static List<XYChart> timeline(List<Layer> layers) throws IOException {
        return Picture.panels(ChartType.TIMELINE, layers).stream().map(XYChart.class::cast).toList();
    }

    private static CategoryChart cpu(List<Layer> layers) throws IOException {
        return (CategoryChart) Picture.panels(ChartType.CPU, layers).get(0);
    }

    private static Set<String> names(AxesChart<?, ?> chart) {
        return chart.getSeriesCollection().stream().map(series -> series.getName()).collect(Collectors.toSet());
    }
}
