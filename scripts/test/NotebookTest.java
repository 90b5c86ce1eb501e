import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The notebooks as they are stored. */
class NotebookTest {
    static final String SET_UP = "import static lab.Lab.*;";
    private static final Set<String> OUTPUTS = Set.of("stream", "display_data", "execute_result");

    static List<String> notebooks() throws IOException {
        return Notebook.names();
    }

    @Test
    void readmePicturesLieBesideThem() throws Exception {
        for (String picture : List.of("timeline.png", "heartbeat.png")) {
            assertDrawn(Files.readAllBytes(Notebook.STORED.resolve(picture)));
        }
    }

    @ParameterizedTest
    @MethodSource("notebooks")
    void storedOutputsAreThoseOfOneCleanRun(String name) throws Exception {
        assertTrue(Files.size(Notebook.STORED.resolve(name)) < 1 << 20, "1 MiB or more");
        assertCleanRun(stored(name));
    }

    @ParameterizedTest
    @MethodSource("notebooks")
    void beginsWithItsQuestionAndSoonShowsAFigure(String name) throws Exception {
        Notebook notebook = stored(name);
        assertFalse(notebook.cells().get(0).isCode());
        assertTrue(notebook.cells().get(0).source().matches("(?s)# [^\n]*\\?\n.*"));
        assertTrue(notebook.code().stream().limit(2).flatMap(cell -> cell.outputs().stream())
                .anyMatch(Notebook.Output::isFigure));
    }

    @Test
    void nothingButTheSetUpStandsInTwo() throws Exception {
        Map<String, Integer> lines = new HashMap<>();
        for (String name : notebooks()) {
            assertEquals(SET_UP, stored(name).code().get(0).source());
            stored(name).code().stream().flatMap(cell -> cell.source().lines().map(String::strip))
                    .filter(line -> line.matches(".*\\w.*")).distinct()
                    .forEach(line -> lines.merge(line, 1, Integer::sum));
        }
        assertEquals(Set.of(SET_UP), lines.keySet().stream().filter(line -> lines.get(line) > 1)
                .collect(Collectors.toSet()));
    }

    @Test
    void sendersAreAllFourWithTheWritesOfTheKernel() throws Exception {
        assertEquals(List.of("", "blocking", "nonblocking", "poll", "virtual"), stored("senders.ipynb").row(""));
        assertEquals(List.of("writes, bytes", "1048576",
                "219264, 22 \u00d7 36544, 25344", "219264, 4 \u00d7 182720, 98432",
                "219264, 4 \u00d7 182720, 98432"), stored("senders.ipynb").row("writes, bytes"));
    }

    @Test
    void manyReadersAreServedInAllFourWays() throws Exception {
        assertServed(stored("many-readers.ipynb"));
        assertEquals("virtual", stored("many-readers.ipynb").tables().get(0).get(4).get(0));
    }

    /** All who read, but for the blocking loop, which serves those before the stuck one, in the middle. */
    static void assertServed(Notebook notebook) {
        assertEquals(2, notebook.tables().size());
        for (List<List<String>> table : notebook.tables()) {
            for (List<String> row : table.subList(1, table.size())) {
                int readers = Integer.parseInt(row.get(1));
                int stuck = readers > 1 ? 1 : 0;
                int served = row.get(0).equals("blocking") && readers > 1 ? readers / 2 : readers - stuck;
                assertEquals(List.of(String.valueOf(stuck), served + " of " + (readers - stuck)), row.subList(2, 4));
            }
        }
    }

    private static Notebook stored(String name) throws IOException {
        return Notebook.read(Notebook.STORED.resolve(name));
    }

    /** Cells run in order; they put out texts, tables and pictures, and nothing that is another each time. */
    static void assertCleanRun(Notebook notebook) throws IOException {
        int count = 0;
        for (Notebook.Cell cell : notebook.code()) {
            assertEquals(String.valueOf(++count), cell.json().get("execution_count").toString());
            assertEquals(new JsonObject(), cell.json().get("metadata"));
            assertClean(cell.source());
            for (Notebook.Output output : cell.outputs()) {
                assertTrue(OUTPUTS.contains(output.type()), output::toString);
                if (output.type().equals("stream")) {
                    assertEquals("stdout", output.json().get("name").getAsString(), output::toString);
                } else if (output.png() != null) {
                    assertDrawn(output.png());
                } else if (output.table() != null) {
                    assertTrue(output.table().size() > 1, "an empty table");
                }
                assertClean(output.png() == null ? output.json().toString() : output.data("text/plain"));
            }
        }
        assertTrue(notebook.outputs().stream().anyMatch(output -> output.png() != null));
        assertTrue(notebook.outputs().stream().anyMatch(output -> output.table() != null));
    }

    private static void assertClean(String text) {
        for (String unwanted : List.of("\u001b", "\\[jbang\\]", "@[0-9a-f]{4}", "\\.\\.\\. \\d+ s",
                "(?<![\\w.<])/\\w+/\\w")) {
            assertFalse(Pattern.compile(unwanted).matcher(text).find(), () -> unwanted + " in: " + text);
        }
    }

    private static void assertDrawn(byte[] png) throws IOException {
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
        assertEquals(900, image.getWidth());
        long colours = Arrays.stream(image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth()))
                .distinct().count();
        assertTrue(colours > 10, "blank");
    }
}
