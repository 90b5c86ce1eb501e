import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import charts.ChartType;
import charts.Layer;
import charts.Picture;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.AxesChart;
import results.Comparison;
import results.Json;

/** Comparisons that lie over each other in a picture. */
class LayerTest {
    @Test
    void predictionLiesOverTheMeasurement() throws Exception {
        try (Kit kit = new Kit()) {
            Samples.write(kit, "measured.json", Samples.measured());
            Samples.write(kit, "predicted.json", Samples.predicted());
            List<Layer> layers = read(kit, "measured.json", "predicted.json");
            for (XYChart panel : timeline(layers)) {
                for (String series : List.of("accepted, as its writes returned", "delivered")) {
                    double[] predicted = panel.getSeries(series + " (predicted)").getYData();
                    assertArrayEquals(panel.getSeries(series + " (measured)").getYData(), predicted, series);
                }
                assertTrue(panel.getTitle().endsWith(" (measured)"), panel.getTitle());
            }
            assertEquals(Set.of("blocking-sender, 1 write (measured)", "nonblocking-sender, 24 writes (measured)",
                    "poll-sender, 6 writes (measured)", "blocking-sender, 1 write (predicted)",
                    "nonblocking-sender, 24 writes (predicted)", "poll-sender, 6 writes (predicted)"),
                    names(Picture.panels(ChartType.WRITES, layers).get(0)));
            assertEquals(List.of(kit.dir.resolve("predicted.json") + ": no CPU time in it"),
                    layers.get(1).gaps(ChartType.CPU));
        }
    }

    @Test
    void filesOfOneKindAreToldApartByTheirPaths() throws Exception {
        try (Kit kit = new Kit()) {
            Files.createDirectory(kit.dir.resolve("a"));
            Samples.write(kit, "a/x.json", Samples.measured());
            Samples.write(kit, "x.json", Samples.measured());
            Samples.write(kit, "y.json", Samples.measured());
            assertEquals(List.of("measured, x.json", "measured, y.json"),
                    read(kit, "x.json", "y.json").stream().map(Layer::label).toList());
            assertEquals(List.of("measured, " + kit.dir.resolve("a/x.json"), "measured, " + kit.dir.resolve("x.json")),
                    read(kit, "a/x.json", "x.json").stream().map(Layer::label).toList());
            assertEquals(List.of("measured"), read(kit, "x.json", "x.json").stream().map(Layer::label).toList());
            for (ChartType chart : ChartType.values()) {
                assertNotNull(Picture.draw(chart, read(kit, "a/x.json", "x.json", "y.json"), 900, null, null));
            }
        }
    }

    /** As a notebook has them. */
    @Test
    void comparisonsInMemory() throws Exception {
        try (Kit kit = new Kit()) {
            Comparison measured = Json.read(Samples.write(kit, "measured.json", Samples.measured()));
            Comparison predicted = Json.read(Samples.write(kit, "predicted.json", Samples.predicted()));
            assertEquals(List.of("measured", "predicted"), labels(measured, predicted));
            assertEquals(List.of("measured 1", "predicted 2", "measured 3"), labels(measured, predicted, measured));
            BufferedImage image = Picture.draw(ChartType.TIMELINE, measured, predicted);
            BufferedImage fromFiles = Picture.draw(ChartType.TIMELINE, read(kit, "measured.json", "predicted.json"),
                    900, null, null);
            assertArrayEquals(Picture.png(fromFiles), Picture.png(image));
        }
    }

    private static List<String> labels(Comparison... comparisons) throws IOException {
        return Layer.of(List.of(comparisons)).stream().map(Layer::label).toList();
    }

    /** Whoever else is in the picture. */
    @Test
    void eachSenderHasItsOwnColourAndSymbol() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject four = Samples.measured();
            four.getAsJsonArray("runs").add(named("virtual-sender"));
            JsonObject alone = Samples.measured();
            alone.add("runs", new JsonArray());
            alone.getAsJsonArray("runs").add(named("my-sender"));
            alone.getAsJsonArray("runs").add(named("virtual-sender"));
            for (ChartType type : List.of(ChartType.WRITES, ChartType.HEARTBEAT)) {
                Map<String, String> looks = looks(type, layers(kit, four));
                assertEquals(4, Set.copyOf(looks.values()).size());
                Map<String, String> others = looks(type, layers(kit, alone));
                assertEquals(looks.get("virtual-sender"), others.get("virtual-sender"));
                assertNotEquals(looks.get("blocking-sender"), others.get("my-sender"));
            }
        }
    }

    private static JsonObject named(String sender) throws IOException {
        JsonObject run = Samples.run(Samples.measured(), 2);
        run.addProperty("sender", sender);
        return run;
    }

    /** Colour and symbol of each sender. */
    private static Map<String, String> looks(ChartType type, List<Layer> layers) throws IOException {
        Map<String, String> looks = new HashMap<>();
        for (XYSeries series : ((XYChart) Picture.panels(type, layers).get(0)).getSeriesCollection()) {
            BufferedImage image = new BufferedImage(40, 40, BufferedImage.TYPE_INT_RGB);
            series.getMarker().paint(image.createGraphics(), 20, 20, 9);
            looks.put(series.getName().replaceAll(",.*", ""),
                    series.getMarkerColor() + Arrays.toString(image.getRGB(0, 0, 40, 40, null, 0, 40)));
        }
        return looks;
    }

    private static List<Layer> layers(Kit kit, JsonObject comparison) throws IOException {
        return Layer.read(List.of(Samples.write(kit, "comparison.json", comparison)));
    }

    private static List<Layer> read(Kit kit, String... names) throws IOException {
        return Layer.read(Stream.of(names).map(kit.dir::resolve).toList());
    }

    private static List<XYChart> timeline(List<Layer> layers) throws IOException {
        return Picture.panels(ChartType.TIMELINE, layers).stream().map(XYChart.class::cast).toList();
    }

    private static Set<String> names(AxesChart<?, ?> chart) {
        return chart.getSeriesCollection().stream().map(series -> series.getName()).collect(Collectors.toSet());
    }
}
