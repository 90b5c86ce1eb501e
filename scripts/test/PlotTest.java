import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import charts.ChartType;
import charts.Layer;
import charts.Picture;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The picture holds its series, is written as asked, and what cannot be drawn is one line. */
class PlotTest {
    private static final int BLUE = 0x0072B2;
    private static final int VERMILION = 0xD55E00;
    private static final int GREEN = 0x009E73;

    @ParameterizedTest
    @ValueSource(ints = {900, 1600})
    void pictureHasTheSizeAndTheColoursOfItsSeries(int width) throws Exception {
        try (Kit kit = new Kit()) {
            Samples.write(kit, "c.json", Samples.measured());
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
            Samples.write(kit, "c.json", Samples.measured());
            JsonObject predicted = Samples.measured();
            predicted.addProperty("kind", "predicted");
            predicted.getAsJsonArray("runs").forEach(run -> run.getAsJsonObject().getAsJsonArray("events")
                    .forEach(event -> shift(event.getAsJsonObject(), -0.1)));
            Samples.write(kit, "p.json", predicted);
            BufferedImage alone = draw(ChartType.TIMELINE, 900, 620, " ", kit.dir.resolve("c.json"));
            BufferedImage both = draw(ChartType.TIMELINE, 900, 620, " ", kit.dir.resolve("c.json"),
                    kit.dir.resolve("p.json"));
            int black = dark(both.getSubimage(0, 100, 900, 520)) - dark(alone.getSubimage(0, 100, 900, 520));
            assertTrue(black > 1000, "below the legend: " + black);
            assertTrue(pixels(both, BLUE) > 500 && pixels(both, VERMILION) > 500);
        }
    }

    @Test
    void heightAndTitleAreAsAsked() throws Exception {
        try (Kit kit = new Kit()) {
            Samples.write(kit, "c.json", Samples.measured());
            Path file = kit.dir.resolve("c.json");
            BufferedImage untitled = draw(ChartType.CPU, 900, 500, "", file);
            assertEquals(500, untitled.getHeight());
            int blackOfTitle = dark(draw(ChartType.CPU, 900, 500, "Title", file)) - dark(untitled);
            assertTrue(blackOfTitle > 50, "" + blackOfTitle);
            BufferedImage longTitle = draw(ChartType.CPU, 900, 500, "A title far too long ".repeat(20), file);
            assertTrue(IntStream.range(0, 500).allMatch(y -> longTitle.getRGB(899, y) == -1), "it fits the width");
            String tooLow = "plot: --height: %d pixels are too low for this chart; at this width it takes %d";
            int least = Integer.parseInt(failed(1, kit, "--height", "100", "c.json").get(0).replaceAll(".* ", ""));
            assertEquals(List.of(tooLow.formatted(100, least)), failed(1, kit, "--height", "100", "c.json"));
            assertEquals(List.of(tooLow.formatted(least - 1, least)),
                    failed(1, kit, "--height", "" + (least - 1), "c.json"));
            assertEquals(List.of(), drawn(kit, "--height", "" + least, "c.json"));
        }
    }

    @Test
    void chartWithoutData() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.withCommand(Samples.measured());
            Samples.write(kit, "mixed.json", comparison);
            comparison.add("runs", new JsonArray());
            Samples.write(kit, "none.json", comparison);
            comparison.getAsJsonArray("runs").add(Samples.run(Samples.withCommand(Samples.measured()), 3));
            Samples.write(kit, "command.json", comparison);
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
            Samples.write(kit, "c.json", Samples.measured());
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
        "--chart=pie | Invalid value for option '--chart': 'pie' is not a chart: timeline, cpu, writes, heartbeat,"
            + " readers or scale",
        "--width=wide | Invalid value for option '--width': 'wide' is not a number of pixels from 100 to 10000",
        "--width=99 | Invalid value for option '--width': '99' is not a number of pixels from 100 to 10000",
        "--height=-1 | Invalid value for option '--height': '-1' is not a number of pixels from 100 to 10000",
        "--height=10001 | Invalid value for option '--height': '10001' is not a number of pixels from 100 to 10000",
        "--output= | Invalid value for option '--output': the name of a file is empty",
        "--colour=red | Unknown option: '--colour=red'",
    })
    void usage(String option, String problem) throws Exception {
        try (Kit kit = new Kit()) {
            assertEquals(List.of("plot: " + problem + " (see --help)"), failed(2, kit, option, "c.json"));
        }
    }

    /** An at sign begins a name like any other. */
    @Test
    void fileOfArgumentsIsNotExpanded() throws Exception {
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve("args"), "--secret");
            assertEquals(List.of("plot: @args: no such file"), failed(1, kit, "@args"));
        }
    }

    @Test
    void usageWithoutFile() throws Exception {
        try (Kit kit = new Kit()) {
            assertEquals(List.of("plot: Missing required parameter: 'FILE' (see --help)"), failed(2, kit));
        }
    }

    private static BufferedImage draw(ChartType chart, int width, Integer height, String title, Path... files)
            throws IOException {
        return Picture.draw(chart, Layer.read(List.of(files)), width, height, title);
    }

    private static void shift(JsonObject event, double seconds) {
        event.addProperty("time", Math.max(0, event.get("time").getAsDouble() + seconds));
    }

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

    private static int pixels(BufferedImage image, int colour) {
        int[] all = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
        return (int) Arrays.stream(all).filter(pixel -> (pixel & 0xFFFFFF) == colour).count();
    }

    /** Black, or nearly so where the edges are smoothed. */
    private static int dark(BufferedImage image) {
        int[] all = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
        return (int) Arrays.stream(all).filter(pixel -> (pixel & 0xC0C0C0) == 0).count();
    }
}
