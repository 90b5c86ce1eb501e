import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.AxesChart;

/**
 * The data behind each chart are those of the file, the picture holds them, and what cannot be drawn is one line.
 * comparison.json is what {@code compare --interval 100ms --heartbeat 100ms} exported on Linux 6.18 with Java 17.
 */
class PlotTest {
    private static final List<String> SENDERS = List.of("blocking-sender", "nonblocking-sender", "poll-sender");
    private static final int BLUE = 0x0072B2;
    private static final int VERMILION = 0xD55E00;
    private static final int GREEN = 0x009E73;

    // --- the data

    @Test
    void timelineShowsEveryByteAcceptedAndDelivered() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = measured();
            List<XYChart> panels = timeline(sources(kit, comparison));
            assertEquals(3, panels.size());
            for (int i = 0; i < 3; i++) {
                JsonObject run = run(comparison, i);
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
        List<JsonObject> steps = events(run, event).toList();
        double end = figures(events(run, "received"), "time").max().orElseThrow();
        double last = steps.get(steps.size() - 1).get("total").getAsDouble();
        assertArrayEquals(concat(0, figures(steps.stream(), "time"), end), series.getXData());
        assertArrayEquals(concat(0, figures(steps.stream(), "total"), last), bytes(series));
        assertEquals(1048576, last);
    }

    private static double[] concat(double first, DoubleStream middle, double last) {
        return Stream.of(DoubleStream.of(first), middle, DoubleStream.of(last)).flatMapToDouble(part -> part).toArray();
    }

    private static DoubleStream figures(Stream<JsonObject> objects, String member) {
        return objects.mapToDouble(object -> object.get(member).getAsDouble());
    }

    private static double[] bytes(XYSeries series) {
        return Arrays.stream(series.getYData()).map(kib -> kib * 1024).toArray();
    }

    /** The area of the shade is the sum of the bytes in the queue, each times how long it was there. */
    @Test
    void queueIsShadedBetweenAcceptedAndDelivered() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = measured();
            List<XYChart> panels = timeline(sources(kit, comparison));
            for (int i = 0; i < 3; i++) {
                double expected = 0;
                double queued = 0;
                double since = 0;
                for (JsonObject event : events(run(comparison, i), null).toList()) {
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
            JsonObject comparison = measured();
            XYChart chart = (XYChart) Plot.panels(Plot.ChartType.WRITES, sources(kit, comparison)).get(0);
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
                assertArrayEquals(figures(events(run(comparison, i++), "wrote"), "time").toArray(), series.getXData());
            }
        }
    }

    @Test
    void heartbeatShowsEveryBeat() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = measured();
            XYChart chart = (XYChart) Plot.panels(Plot.ChartType.HEARTBEAT, sources(kit, comparison)).get(0);
            assertEquals(3, chart.getSeriesCollection().size());
            int i = 0;
            for (XYSeries series : chart.getSeriesCollection()) {
                JsonObject run = run(comparison, i);
                assertEquals(SENDERS.get(i++) + ", " + run.get("beats_run") + " of " + run.get("beats_due")
                        + " beats (measured)", series.getName());
                assertArrayEquals(figures(events(run, "beat"), "time").toArray(), series.getXData());
                assertArrayEquals(figures(events(run, "beat"), "late").map(late -> Math.max(1e-6, late)).toArray(),
                        series.getYData());
            }
            assertEquals(1e-6, chart.getStyler().getYAxisMin());
            assertEquals(10, chart.getStyler().getYAxisMax());
            assertTrue(chart.getStyler().isYAxisLogarithmic());
        }
    }

    @Test
    void cpuShowsTheSendingThread() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = measured();
            CategoryChart chart = cpu(sources(kit, comparison));
            assertEquals("CPU seconds of the sending thread", chart.getYAxisTitle());
            for (String figure : List.of("user", "system")) {
                CategorySeries series = chart.getSeries(figure + " (measured)");
                assertEquals(SENDERS, series.getXData());
                assertArrayEquals(figures(runs(comparison), figure).toArray(), series.getYData());
            }
        }
    }

    @Test
    void cpuOfRepeatedRunsIsTheirMedian() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = measured();
            JsonArray runs = new JsonArray();
            for (double user : new double[] {0.5, 9, 0.1, 0.2}) {
                JsonObject run = run(comparison, 2).deepCopy();
                run.addProperty("user", user);
                runs.add(run);
            }
            runs.get(1).getAsJsonObject().addProperty("error", "poll-sender: stopped by a signal");
            comparison.add("runs", runs);
            CategoryChart chart = cpu(sources(kit, comparison));
            assertEquals("CPU seconds of the sending thread (median)", chart.getYAxisTitle());
            assertArrayEquals(new double[] {0.2}, chart.getSeries("user (measured)").getYData());
        }
    }

    /** A command tells what was delivered and what its process used, and nothing else. */
    @Test
    void commandHasNoWritesOfItsOwn() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = withCommand(measured());
            List<Plot.Source> sources = sources(kit, comparison);
            XYChart panel = timeline(sources).get(3);
            assertEquals(Set.of("delivered (measured)"), names(panel));
            assertTrue(panel.getTitle().matches("socat: delivered in 5\\.\\d+ s"), panel.getTitle());
            CategoryChart chart = cpu(sources);
            assertEquals("CPU seconds of process with start-up", chart.getYAxisTitle());
            assertArrayEquals(figures(runs(comparison), "process_user").toArray(),
                    chart.getSeries("user (measured)").getYData());
        }
    }

    @Test
    void failureIsMarkedAndTold() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = measured();
            String error = "poll-sender: slow_receiver.sock: the receiver closed the connection;"
                    + " 584704 bytes had been accepted";
            JsonObject run = cutShort(run(comparison, 2), 2, error);
            XYChart panel = timeline(sources(kit, comparison)).get(2);
            assertEquals(error, panel.getTitle());
            XYSeries cross = panel.getSeries("failed (measured)");
            double end = figures(events(run, null), "time").max().orElseThrow();
            assertArrayEquals(new double[] {end}, cross.getXData());
            assertArrayEquals(new double[] {584704 / 1024.0}, cross.getYData());
            assertNull(timeline(sources(kit, measured())).get(2).getSeries("failed (measured)"));
        }
    }

    @Test
    void runsOfOneSenderAreLinesOfOneSeries() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = measured();
            JsonObject second = run(comparison, 2).deepCopy();
            second.addProperty("run", 2);
            comparison.getAsJsonArray("runs").add(second);
            XYChart panel = timeline(sources(kit, comparison)).get(2);
            assertEquals("poll-sender: 2 runs", panel.getTitle());
            double[] x = panel.getSeries("accepted, as its writes returned (measured)").getXData();
            assertEquals(2 * (6 + 2) + 1, x.length);
            assertTrue(Double.isNaN(x[8]), "a gap between the runs");
            assertEquals(Set.of("accepted, as its writes returned (measured)", "delivered (measured)",
                    "queued in the kernel, first run (measured)"), names(panel));
        }
    }

    // --- several files

    @Test
    void predictionLiesOverTheMeasurement() throws Exception {
        try (Kit kit = new Kit()) {
            write(kit, "measured.json", measured());
            assertEquals(0, kit.script("predict", "--interval", "100ms", "--export-json", "predicted.json").await());
            List<Plot.Source> sources = read(kit, "measured.json", "predicted.json");
            for (XYChart panel : timeline(sources)) {
                for (String series : List.of("accepted, as its writes returned", "delivered")) {
                    double[] predicted = panel.getSeries(series + " (predicted)").getYData();
                    assertArrayEquals(panel.getSeries(series + " (measured)").getYData(), predicted, series);
                }
                assertTrue(panel.getTitle().endsWith(" (measured)"), panel.getTitle());
            }
            assertEquals(Set.of("blocking-sender, 1 write (measured)", "nonblocking-sender, 24 writes (measured)",
                    "poll-sender, 6 writes (measured)", "blocking-sender, 1 write (predicted)",
                    "nonblocking-sender, 24 writes (predicted)", "poll-sender, 6 writes (predicted)"),
                    names(Plot.panels(Plot.ChartType.WRITES, sources).get(0)));
            assertEquals(List.of("plot: predicted.json: no CPU time in it; left out"),
                    drawn(kit, "--chart", "cpu", "measured.json", "predicted.json"));
        }
    }

    @Test
    void filesOfOneKindAreToldApartByTheirPaths() throws Exception {
        try (Kit kit = new Kit()) {
            Files.createDirectory(kit.dir.resolve("a"));
            write(kit, "a/x.json", measured());
            write(kit, "x.json", measured());
            write(kit, "y.json", measured());
            assertEquals(List.of("measured, x.json", "measured, y.json"),
                    read(kit, "x.json", "y.json").stream().map(Plot.Source::label).toList());
            assertEquals(List.of("measured, " + kit.dir.resolve("a/x.json"), "measured, " + kit.dir.resolve("x.json")),
                    read(kit, "a/x.json", "x.json").stream().map(Plot.Source::label).toList());
            assertEquals(List.of("measured"), read(kit, "x.json", "x.json").stream().map(Plot.Source::label).toList());
            for (Plot.ChartType chart : Plot.ChartType.values()) {
                drawn(kit, "--chart", chart.toString(), "a/x.json", "x.json", "y.json");
            }
        }
    }

    // --- the picture

    @ParameterizedTest
    @ValueSource(ints = {900, 1600})
    void pictureHasTheSizeAndTheColoursOfItsSeries(int width) throws Exception {
        try (Kit kit = new Kit()) {
            write(kit, "c.json", measured());
            List<Integer> two = List.of(BLUE, VERMILION);
            List<Integer> three = List.of(BLUE, VERMILION, GREEN);
            Map<String, List<Integer>> colours =
                    Map.of("timeline", two, "cpu", two, "writes", three, "heartbeat", three);
            for (String chart : colours.keySet()) {
                assertEquals(List.of(), drawn(kit, "--chart", chart, "--width", "" + width, "c.json"));
                BufferedImage image = ImageIO.read(kit.dir.resolve(chart + ".png").toFile());
                assertEquals(width, image.getWidth());
                assertTrue(image.getHeight() > width / 3 && image.getHeight() < width, chart + " " + image.getHeight());
                for (int colour : colours.get(chart)) {
                    assertTrue(pixels(image, colour) > 40, chart + " has too little of " + Integer.toHexString(colour));
                }
                assertTrue(pixels(image, 0xFFFFFF) > image.getWidth() * image.getHeight() / 2, "a white background");
                BufferedImage right = image.getSubimage(width * 6 / 10, 0, width * 4 / 10, image.getHeight());
                assertTrue(pixels(right, VERMILION) > 40, chart + " does not fill the width");
                for (int x = 0; x < width; x++) {
                    assertEquals(0xFFFFFF, image.getRGB(x, 0) & 0xFFFFFF, "nothing is cut off at the top");
                    assertEquals(0xFFFFFF, image.getRGB(x, image.getHeight() - 1) & 0xFFFFFF, "nor at the bottom");
                }
            }
        }
    }

    @Test
    void predictionIsBlackOverTheColoursOfTheMeasurement() throws Exception {
        try (Kit kit = new Kit()) {
            write(kit, "c.json", measured());
            JsonObject predicted = measured();
            predicted.addProperty("kind", "predicted");
            predicted.getAsJsonArray("runs").forEach(run -> run.getAsJsonObject().getAsJsonArray("events")
                    .forEach(event -> shift(event.getAsJsonObject(), -0.1)));
            write(kit, "p.json", predicted);
            BufferedImage alone = Plot.draw(Plot.ChartType.TIMELINE, 900, 620, " ", kit.dir.resolve("c.json"));
            BufferedImage both = Plot.draw(Plot.ChartType.TIMELINE, 900, 620, " ", kit.dir.resolve("c.json"),
                    kit.dir.resolve("p.json"));
            int black = dark(both.getSubimage(0, 100, 900, 520)) - dark(alone.getSubimage(0, 100, 900, 520));
            assertTrue(black > 1000, "below the legend: " + black);
            assertTrue(pixels(both, BLUE) > 500 && pixels(both, VERMILION) > 500);
        }
    }

    @Test
    void heightAndTitleAreAsAsked() throws Exception {
        try (Kit kit = new Kit()) {
            write(kit, "c.json", measured());
            Path file = kit.dir.resolve("c.json");
            BufferedImage untitled = Plot.draw(Plot.ChartType.CPU, 900, 500, "", file);
            assertEquals(500, untitled.getHeight());
            int blackOfTitle = dark(Plot.draw(Plot.ChartType.CPU, 900, 500, "Title", file)) - dark(untitled);
            assertTrue(blackOfTitle > 50, "" + blackOfTitle);
            BufferedImage longTitle = Plot.draw(Plot.ChartType.CPU, 900, 500, "A title far too long ".repeat(20), file);
            assertTrue(IntStream.range(0, 500).allMatch(y -> longTitle.getRGB(899, y) == -1), "it fits the width");
            String tooLow = "plot: --height: %d pixels are too low for this chart; at this width it takes %d";
            int least = Integer.parseInt(failed(1, kit, "--height", "100", "c.json").get(0).replaceAll(".* ", ""));
            assertEquals(List.of(tooLow.formatted(100, least)), failed(1, kit, "--height", "100", "c.json"));
            assertEquals(List.of(tooLow.formatted(least - 1, least)),
                    failed(1, kit, "--height", "" + (least - 1), "c.json"));
            assertEquals(List.of(), drawn(kit, "--height", "" + least, "c.json"));
        }
    }

    // --- the output

    @Test
    void outputIsReplacedOnlyByACompletePicture() throws Exception {
        try (Kit kit = new Kit()) {
            write(kit, "c.json", measured());
            Path output = Files.writeString(kit.dir.resolve("out.png"), "old");
            Path link = Files.createSymbolicLink(kit.dir.resolve("link.png"), Path.of("out.png"));
            Files.writeString(kit.dir.resolve("cut.json"), "{");
            failed(1, kit, "--output", "out.png", "cut.json");
            String limited = "ulimit -f 4; exec \"$@\""; // a PNG is larger; a full disk does the same
            List<String> command = new ArrayList<>(List.of("sh", "-c", limited, "sh"));
            command.addAll(kit.command("plot", "--output", "out.png", "c.json"));
            command.add(5, "-XX:-UsePerfData"); // the JVM's own file is larger, too
            Kit.Running running = kit.run(command.toArray(String[]::new));
            assertEquals(1, running.await());
            assertEquals(List.of("plot: out.png: File too large"), running.err());
            assertEquals("old", Files.readString(output));
            drawn(kit, "--output", "link.png", "c.json");
            assertTrue(Files.isSymbolicLink(link));
            assertEquals(900, ImageIO.read(output.toFile()).getWidth());
            assertEquals(Set.of("c.json", "cut.json", "out.png", "link.png"), list(kit));
        }
    }

    @Test
    void standardOutputGetsThePicture() throws Exception {
        try (Kit kit = new Kit()) {
            write(kit, "c.json", measured());
            drawn(kit, "--chart", "writes", "c.json");
            List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" > piped", "sh"));
            command.addAll(kit.command("plot", "--chart", "writes", "--output", "-", "c.json"));
            assertEquals(0, kit.run(command.toArray(String[]::new)).await());
            assertEquals(-1, Files.mismatch(kit.dir.resolve("writes.png"), kit.dir.resolve("piped")));
            command.set(2, "exec \"$@\" > /dev/full");
            Kit.Running full = kit.run(command.toArray(String[]::new));
            assertEquals(1, full.await());
            assertEquals(List.of("plot: standard output: No space left on device"), full.err());
        }
    }

    @Test
    void outputIsCheckedBeforeAnythingIsRead() throws Exception {
        try (Kit kit = new Kit()) {
            write(kit, "c.json", measured());
            Files.createSymbolicLink(kit.dir.resolve("same.json"), Path.of("c.json"));
            for (String output : List.of(".", "/dev/null")) {
                assertEquals(List.of("plot: " + output + ": is not a regular file; choose another --output"),
                        failed(1, kit, "--output", output, "missing.json"));
            }
            assertEquals(List.of("plot: no/out.png: its directory does not exist"),
                    failed(1, kit, "--output", "no/out.png", "missing.json"));
            for (String output : List.of("c.json", "same.json")) {
                assertEquals(List.of("plot: " + output + ": is one of the files to draw; choose another --output"),
                        failed(1, kit, "--output", output, "missing.json", "c.json"));
            }
            assertEquals(measured(), JsonParser.parseString(Files.readString(kit.dir.resolve("c.json"))));
        }
    }

    // --- what cannot be drawn

    private static final String NO_COMPARISON =
            "is not a comparison; make one with compare --export-json or predict --export-json";

    @Test
    void filesThatAreNoComparison() throws Exception {
        try (Kit kit = new Kit()) {
            assertUnreadable(kit, "no such file");
            assertEquals(List.of("plot: c.json/x.json: Not a directory"),
                    failed(1, kit, write(kit, "c.json", measured()).getFileName() + "/x.json"));
            Files.createDirectory(kit.dir.resolve("bad.json"));
            assertUnreadable(kit, "Is a directory");
            Files.delete(kit.dir.resolve("bad.json"));
            for (String empty : List.of("", " \n")) {
                Files.writeString(kit.dir.resolve("bad.json"), empty);
                assertUnreadable(kit, "is empty; export it again");
            }
            for (String other : List.of("bytes,seconds\n", "[1, 2]", "null", "{}", "{\"kind\": 1}",
                    "{\"kind\": \"measured\"}",
                    "{\"kind\":\"measured\",\"version\":\"one\",\"settings\":{},\"runs\":[]}", "{\"kind\": nothing}",
                    "{\"time\":1.0,\"event\":\"done\"}\n{\"time\":2.0,\"event\":\"done\"}\n")) {
                Files.writeString(kit.dir.resolve("bad.json"), other);
                assertUnreadable(kit, NO_COMPARISON);
            }
            Files.write(kit.dir.resolve("bad.json"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 0});
            assertUnreadable(kit, NO_COMPARISON);
            for (String member : List.of("kind", "version", "settings", "runs")) {
                JsonObject lacking = measured();
                lacking.remove(member);
                write(kit, "bad.json", lacking);
                assertUnreadable(kit, NO_COMPARISON);
            }
            for (String member : List.of("sender", "events")) {
                JsonObject lacking = measured();
                run(lacking, 1).remove(member);
                write(kit, "bad.json", lacking);
                assertUnreadable(kit, NO_COMPARISON);
            }
            for (String member : List.of("time", "event", "bytes")) {
                JsonObject lacking = measured();
                events(run(lacking, 1), "wrote").findFirst().orElseThrow().remove(member);
                write(kit, "bad.json", lacking);
                assertUnreadable(kit, NO_COMPARISON);
            }
        }
    }

    /** Wherever it is cut. */
    @Test
    void truncatedFile() throws Exception {
        try (Kit kit = new Kit()) {
            String whole = measured().toString();
            for (int length = 1; length < whole.length(); length += 1009) {
                Files.writeString(kit.dir.resolve("bad.json"), whole.substring(0, length));
                assertUnreadable(kit, "ends in the middle; export it again");
            }
            Files.writeString(kit.dir.resolve("bad.json"), whole.substring(0, whole.length() - 1));
            assertUnreadable(kit, "ends in the middle; export it again");
        }
    }

    @Test
    void newerVersion() throws Exception {
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve("bad.json"), "{\"kind\": \"counted\", \"version\": 2, \"runs\": {}}");
            assertUnreadable(kit, "has version 2 of the format, this plot reads version 1;"
                    + " use the plot that came with the script that wrote it");
        }
    }

    private static void assertUnreadable(Kit kit, String message) {
        Path file = kit.dir.resolve("bad.json");
        FileSystemException e = assertThrows(FileSystemException.class, () -> Plot.read(List.of(file)));
        assertEquals(file + ": " + message, e.getMessage());
    }

    @Test
    void chartWithoutData() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = withCommand(measured());
            write(kit, "mixed.json", comparison);
            comparison.add("runs", new JsonArray());
            write(kit, "none.json", comparison);
            comparison.getAsJsonArray("runs").add(run(withCommand(measured()), 3));
            write(kit, "command.json", comparison);
            assertEquals(List.of("plot: none.json: has no bytes that were accepted or delivered"),
                    failed(1, kit, "none.json"));
            assertEquals(List.of("plot: command.json: has no writes"),
                    failed(1, kit, "--chart", "writes", "command.json"));
            assertEquals(List.of("plot: command.json: has no beats; run compare with --heartbeat"),
                    failed(1, kit, "--chart", "heartbeat", "command.json"));
            assertEquals(List.of("plot: none.json: has no CPU time; predictions have none"),
                    failed(1, kit, "--chart", "cpu", "none.json"));
            assertEquals(List.of("plot: mixed.json: no writes of socat; left out"),
                    drawn(kit, "--chart", "writes", "mixed.json"));
        }
    }

    /** An empty configuration of fontconfig leaves Java without a font, as a machine that has none. */
    @Test
    void noFont() throws Exception {
        try (Kit kit = new Kit()) {
            write(kit, "c.json", measured());
            Files.writeString(kit.dir.resolve("fonts.conf"), "<fontconfig/>");
            List<String> command = kit.command("plot", "c.json");
            command.add(1, "-Duser.home=" + kit.dir); // where Java remembers the fonts it found
            Kit.Running running = kit.run(Map.of("FONTCONFIG_FILE", kit.dir.resolve("fonts.conf").toString()),
                    command.toArray(String[]::new));
            assertEquals(1, running.await());
            assertEquals(List.of("plot: fonts: Java finds none; install fontconfig and a font"
                    + " (Debian: apt install fontconfig fonts-dejavu-core)"), running.err());
            assertFalse(Files.exists(kit.dir.resolve("timeline.png")));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--chart=pie | Invalid value for option '--chart': 'pie' is not a chart: timeline, cpu, writes or heartbeat",
        "--width=wide | Invalid value for option '--width': 'wide' is not a number of pixels from 100 to 10000",
        "--width=99 | Invalid value for option '--width': '99' is not a number of pixels from 100 to 10000",
        "--height=-1 | Invalid value for option '--height': '-1' is not a number of pixels from 100 to 10000",
        "--height=10001 | Invalid value for option '--height': '10001' is not a number of pixels from 100 to 10000",
        "--colour=red | Unknown option: '--colour=red'",
    })
    void usage(String option, String problem) throws Exception {
        try (Kit kit = new Kit()) {
            assertEquals(List.of("plot: " + problem + " (see --help)"), failed(2, kit, option, "c.json"));
        }
    }

    @Test
    void usageWithoutFile() throws Exception {
        try (Kit kit = new Kit()) {
            assertEquals(List.of("plot: Missing required parameter: 'FILE' (see --help)"), failed(2, kit));
        }
    }

    // --- helpers

    /** Draws and returns what was said about it on standard error; standard output stays empty. */
    private static List<String> drawn(Kit kit, String... args) throws Exception {
        return failed(0, kit, args);
    }

    private static List<String> failed(int status, Kit kit, String... args) throws Exception {
        Kit.Running plot = kit.script("plot", args);
        assertEquals(status, plot.await(), () -> plot.err().toString());
        assertEquals(List.of(), plot.out());
        return plot.err();
    }

    private static JsonObject measured() throws IOException {
        try (InputStream json = PlotTest.class.getResourceAsStream("/comparison.json")) {
            return JsonParser.parseString(new String(json.readAllBytes(), StandardCharsets.UTF_8)).getAsJsonObject();
        }
    }

    /** Adds what is recorded of a command: nothing from its side. */
    private static JsonObject withCommand(JsonObject comparison) {
        JsonObject run = run(comparison, 2).deepCopy();
        run.addProperty("sender", "socat");
        for (String own : List.of("strategy", "accepted_seconds", "writes", "user", "system", "beats_due")) {
            run.add(own, JsonNull.INSTANCE);
        }
        removeEvents(run, event -> event.get("side").getAsString().equals("sender"));
        comparison.getAsJsonArray("runs").add(run);
        return comparison;
    }

    /** Makes the run one that failed after so many seconds. */
    private static JsonObject cutShort(JsonObject run, double seconds, String error) {
        run.addProperty("error", error);
        removeEvents(run, event -> event.get("time").getAsDouble() > seconds);
        return run;
    }

    private static void removeEvents(JsonObject run, Predicate<JsonObject> unwanted) {
        List<JsonElement> kept = run.getAsJsonArray("events").asList();
        kept.removeIf(event -> unwanted.test(event.getAsJsonObject()));
    }

    private static void shift(JsonObject event, double seconds) {
        event.addProperty("time", Math.max(0, event.get("time").getAsDouble() + seconds));
    }

    private static Path write(Kit kit, String name, JsonObject comparison) throws IOException {
        return Files.writeString(kit.dir.resolve(name), comparison.toString());
    }

    private static List<Plot.Source> sources(Kit kit, JsonObject comparison) throws IOException {
        return Plot.read(List.of(write(kit, "comparison.json", comparison)));
    }

    private static List<Plot.Source> read(Kit kit, String... names) throws IOException {
        return Plot.read(Stream.of(names).map(kit.dir::resolve).toList());
    }

    private static List<XYChart> timeline(List<Plot.Source> sources) throws IOException {
        return Plot.panels(Plot.ChartType.TIMELINE, sources).stream().map(XYChart.class::cast).toList();
    }

    private static CategoryChart cpu(List<Plot.Source> sources) throws IOException {
        return (CategoryChart) Plot.panels(Plot.ChartType.CPU, sources).get(0);
    }

    private static Set<String> names(AxesChart<?, ?> chart) {
        return chart.getSeriesCollection().stream().map(series -> series.getName()).collect(Collectors.toSet());
    }

    private static Stream<JsonObject> runs(JsonObject comparison) {
        return comparison.getAsJsonArray("runs").asList().stream().map(JsonElement::getAsJsonObject);
    }

    private static JsonObject run(JsonObject comparison, int number) {
        return comparison.getAsJsonArray("runs").get(number).getAsJsonObject();
    }

    /** The events of that name, or all. */
    private static Stream<JsonObject> events(JsonObject run, String name) {
        return run.getAsJsonArray("events").asList().stream().map(JsonElement::getAsJsonObject)
                .filter(event -> name == null || event.get("event").getAsString().equals(name));
    }

    private static int pixels(BufferedImage image, int colour) {
        int[] all = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
        return (int) Arrays.stream(all).filter(pixel -> (pixel & 0xFFFFFF) == colour).count();
    }

    /** Black, or nearly so where the edges are smoothed. */
    private static int dark(BufferedImage image) {
        int[] all = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
        return (int) Arrays.stream(all).filter(pixel -> (pixel & 0xC0C0C0) == 0).count();
    }

    private static Set<String> list(Kit kit) throws IOException {
        try (Stream<Path> files = Files.list(kit.dir)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }
}
