import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import charts.ManyReadersChart;
import java.awt.image.BufferedImage;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import results.Comparison;
import results.ManyReaders;
import results.ManyReaders.Cost;
import results.ManyReaders.Delivery;
import results.ManyReaders.Progress;
import results.ManyReaders.Reader;
import results.ManyReaders.Run;
import results.ManyReaders.Settings;
import results.ReadersFile;

/** The file of many readers, and the charts of it. */
class CrowdChartTest {
    private static final long SIZE = 1 << 20;

    /** The last but one of the readers is stuck; the blocking way serves nobody after it. */
    private static Run run(String way, int readers) {
        boolean blocking = way.equals("blocking");
        List<BigDecimal> times = Stream.of("0", "0.5", "1", blocking ? "5" : "1").map(BigDecimal::new).toList();
        List<Reader> progress = IntStream.rangeClosed(1, readers).mapToObj(i -> {
            boolean starved = i == readers - 1 || blocking && i == readers;
            return new Reader(i, i == readers - 1,
                    starved ? List.of(0L, 0L, 0L, 0L) : List.of(0L, SIZE / 2, SIZE, SIZE));
        }).toList();
        int served = readers - (blocking ? 2 : 1);
        Delivery delivery = new Delivery(served, BigDecimal.ONE, blocking ? new BigDecimal("5") : null, served * SIZE,
                blocking ? null : served * SIZE);
        Cost cost = new Cost(new BigDecimal("0.01").multiply(BigDecimal.valueOf(readers)), new BigDecimal("0.02"), 12,
                (40L + readers) << 20);
        return new Run(way, readers, 1, null, delivery, cost, new Progress(times, progress));
    }

    private static ManyReaders sample() {
        return new ManyReaders(ManyReaders.KIND, ManyReaders.VERSION, Comparison.Machine.local(null, null),
                new Settings(SIZE, SIZE, List.of(10, 100, 1000), 1), IntStream.of(10, 100, 1000).boxed()
                .flatMap(readers -> Stream.of("blocking", "poll").map(way -> run(way, readers))).toList());
    }

    private static Path write(Kit kit) throws Exception {
        Path file = kit.dir.resolve("r.json");
        try (Writer out = Files.newBufferedWriter(file)) {
            ReadersFile.write(sample(), out);
        }
        return file;
    }

    @Test
    void fileIsReadAsItWasWrittenALineForEachReader() throws Exception {
        try (Kit kit = new Kit()) {
            Path file = write(kit);
            assertEquals(sample(), ReadersFile.read(file));
            String first = Files.readAllLines(file).stream().filter(line -> line.contains("\"reader\"")).findFirst()
                    .orElseThrow().strip();
            assertEquals("{\"reader\":1,\"stuck\":false,\"bytes\":[0,524288,1048576,1048576]},", first);
        }
    }

    /** Of the runs those with 100 readers: more lines could not be told apart. The panels end when nothing moves. */
    @Test
    void readersHaveALineEachAndTheStuckOneAnotherColour() throws Exception {
        List<XYChart> panels = ManyReadersChart.READERS.panels("r.json", sample());
        assertEquals(List.of("blocking: 98 of 99 who read are served, stopped after 5 s",
                "poll: all 99 who read are served in 1 s"), panels.stream().map(XYChart::getTitle).toList());
        for (XYChart panel : panels) {
            assertEquals(List.of("a reader that reads", "a reader that never reads"),
                    panel.getSeriesCollection().stream().map(XYSeries::getLabel).toList());
            XYSeries reads = panel.getSeries("a reader that reads (measured)");
            XYSeries stuck = panel.getSeries("a reader that never reads (measured)");
            assertEquals(99, lines(reads));
            assertEquals(1, lines(stuck));
            assertEquals(1, Arrays.stream(reads.getXData()).filter(Double::isFinite).max().orElseThrow());
            assertEquals(1024, Arrays.stream(reads.getYData()).filter(Double::isFinite).max().orElseThrow());
            assertEquals(0, Arrays.stream(stuck.getYData()).max().orElseThrow());
            assertTrue(reads.getLineColor().getRGB() << 8 != stuck.getLineColor().getRGB() << 8);
        }
    }

    private static long lines(XYSeries series) {
        return 1 + Arrays.stream(series.getXData()).filter(Double::isNaN).count();
    }

    @Test
    void scaleHasCpuTimeAndMemoryOverTheReaders() throws Exception {
        List<XYChart> panels = ManyReadersChart.SCALE.panels("r.json", sample());
        assertEquals(2, panels.size());
        XYSeries cpu = panels.get(0).getSeries("poll (measured)");
        assertEquals("[10.0, 100.0, 1000.0]", Arrays.toString(cpu.getXData()));
        assertEquals("[0.12, 1.02, 10.02]", Arrays.toString(cpu.getYData()));
        XYSeries memory = panels.get(1).getSeries("blocking, which does not serve all (measured)");
        assertEquals("[50.0, 140.0, 1040.0]", Arrays.toString(memory.getYData()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"readers", "scale"})
    void chartIsDrawn(String chart) throws Exception {
        try (Kit kit = new Kit()) {
            write(kit);
            Kit.Running plot = kit.script("plot", "--chart", chart, "r.json");
            assertEquals(0, plot.await(), () -> plot.err().toString());
            assertEquals(List.of(), plot.err());
            BufferedImage image = ImageIO.read(kit.dir.resolve(chart + ".png").toFile());
            assertEquals(900, image.getWidth());
            for (int colour : chart.equals("readers") ? List.of(0xD55E00) : List.of(0x0072B2, 0x009E73)) {
                long pixels = IntStream.range(0, image.getWidth() * image.getHeight())
                        .filter(i -> (image.getRGB(i % 900, i / 900) & 0xFFFFFF) == colour).count();
                assertTrue(pixels > 40, pixels + " pixels of " + Integer.toHexString(colour));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "readers | c.json | is not of many readers; make one with compare --readers N --export-json",
        "timeline | r.json | is of many readers; its charts are readers and scale",
        "scale | empty.json | is empty; export it again",
        "scale | cut.json | ends in the middle; export it again",
        "scale | none.json | has no runs that could be measured",
        "readers | absent.json | no such file"})
    void fileThatDoesNotSuitIsOneTrueLine(String chart, String file, String problem) throws Exception {
        try (Kit kit = new Kit()) {
            String text = Files.readString(write(kit));
            Samples.write(kit, "c.json", Samples.measured());
            Files.writeString(kit.dir.resolve("empty.json"), "");
            Files.writeString(kit.dir.resolve("cut.json"), text.substring(0, text.length() / 2));
            Files.writeString(kit.dir.resolve("none.json"), text.replaceAll("(?s)\"runs\".*", "\"runs\": []}"));
            Kit.Running plot = kit.script("plot", "--chart", chart, file);
            assertEquals(1, plot.await());
            assertEquals(List.of("plot: " + file + ": " + problem), plot.err());
        }
    }

    @Test
    void severalFilesAreTooMany() throws Exception {
        try (Kit kit = new Kit()) {
            write(kit);
            Kit.Running plot = kit.script("plot", "--chart", "scale", "r.json", "r.json");
            assertEquals(2, plot.await());
            assertEquals(List.of("plot: --chart scale takes one file (see --help)"), plot.err());
        }
    }
}
