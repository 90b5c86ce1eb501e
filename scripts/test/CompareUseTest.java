import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The exports, the options and the places from which compare runs. */
class CompareUseTest {
    private static final Path ROOT = Path.of("").toAbsolutePath();
    private static final String JBANG = ROOT.resolve("jbang").toString();

    @Test
    void exportIsCheckedFirstAndReplacesOnlyWhenComplete() throws Exception {
        try (Kit kit = new Kit()) {
            Path real = Files.writeString(Files.createDirectory(kit.dir.resolve("d")).resolve("real.json"), "old");
            Files.createSymbolicLink(kit.dir.resolve("link.json"), Path.of("d/real.json"));
            Files.writeString(kit.dir.resolve("input"), "data");
            Map<String, String> bad = Map.of("no/a.json", "its directory does not exist", "d", "is not a regular file",
                    "/dev/null", "is not a regular file", "input", "is one of the input files");
            for (Map.Entry<String, String> export : bad.entrySet()) {
                Kit.Running compare = CompareTest.compare(kit, "--input", "input", "--export-json", export.getKey());
                assertEquals(1, compare.await());
                assertEquals(List.of("compare: " + export.getKey() + ": " + export.getValue()
                        + "; choose another --export-json"), compare.err());
                assertEquals(List.of(), compare.out());
            }
            Kit.Running compare = CompareTest.compare(kit, "--input", "input", "--sender", "poll", "--export-json",
                    "link.json");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            assertTrue(Files.isSymbolicLink(kit.dir.resolve("link.json")));
            JsonObject file = CompareFiguresTest.json(kit, "d/real.json");
            assertEquals(4, file.getAsJsonObject("settings").get("size").getAsInt());
            assertEquals(List.of("d", "input", "link.json"), CompareTest.files(kit));
            assertEquals(List.of("real.json"), Arrays.asList(real.getParent().toFile().list()));
        }
    }

    @Test
    void exportToStandardOutputIsAlone() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--interval", "0s", "--sender", "poll", "--export-json", "-");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            JsonObject file = JsonParser.parseString(String.join("\n", compare.out())).getAsJsonObject();
            assertEquals("poll", CompareFiguresTest.runs(file).get(0).get("strategy").getAsString());
            assertTrue(compare.err().contains("Every byte arrived intact."));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--sender x", "--runs 0", "--command x", "--command poll-sender=x", "--interval 1",
        "--size -1", "--size 1 --input jbang", "--input -", "--chunk 0", "--deadline 0s",
        "--export-csv a --export-json ./a", "x"})
    void usageErrorIsOneLine(String args) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, args.split(" "));
            assertEquals(2, compare.await());
            assertEquals(1, compare.err().size(), () -> compare.err().toString());
            String option = args.split(" ")[0];
            assertTrue(compare.err().get(0).matches("compare: .*(" + option + "|two exports).* \\(see --help\\)"),
                    compare.err().get(0));
        }
    }

    /** In a terminal of a given width, which script(1) provides, and as wide as that is the table. */
    @ParameterizedTest
    @CsvSource({"80, ''", "200, ''", "80, 1"})
    void progressIsShownOnATerminalOnly(int columns, String noColor) throws Exception {
        try (Kit kit = new Kit()) {
            String command = "stty cols " + columns + "; exec " + String.join(" ", CompareTest.command(kit,
                    "--interval", "20ms", "--sender", "blocking", "--sender", "poll", "--command", "a-command-with-a-long-name=false",
                    "--command", "another-command-with-a-long-name=false"));
            Kit.Running compare = kit.run(Map.of("NO_COLOR", noColor), "script", "-qec", command, "/dev/null");
            assertEquals(1, compare.await());
            String out = String.join("\n", compare.out());
            assertEquals(noColor.isEmpty(), out.contains("accepted, ") && out.contains("queued"), out);
            assertEquals(noColor.isEmpty(), out.contains("poll-sender   0% ["), out);
            assertFalse(out.contains("\u001b["), out);
            assertTrue(out.lines().allMatch(line -> line.length() <= columns));
            long blocks = out.lines().filter(line -> line.startsWith("complete runs")).count();
            assertEquals(columns == 80 ? 2 : 1, blocks, out);
        }
    }

    @Test
    void runsAsFileAliasAndFromElsewhere() throws Exception {
        try (Kit kit = new Kit()) {
            String script = ROOT.resolve("scripts/compare.java").toString();
            String catalog = ROOT.resolve("jbang-catalog.json").toString();
            for (List<String> name : List.of(List.of(script), List.of("compare@" + ROOT),
                    List.of("--catalog", catalog, "compare"))) {
                List<String> command = new ArrayList<>(List.of(JBANG));
                command.addAll(name);
                command.addAll(List.of("--interval", "0s", "--sender", "blocking"));
                Kit.Running compare = kit.run(command.toArray(String[]::new));
                assertEquals(0, compare.await(), () -> compare.err().toString());
                assertTrue(compare.out().contains("Every byte arrived intact."), () -> compare.out().toString());
            }
        }
    }

    @Test
    void runsAsAPortableJar() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running export = kit.run(JBANG, "export", "portable", "--output", "compare.jar",
                    ROOT.resolve("scripts/compare.java").toString());
            assertEquals(0, export.await(), () -> export.err().toString());
            Kit.Running compare = kit.run(System.getProperty("java.home") + "/bin/java", "-jar", "compare.jar",
                    "--interval", "0s");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            assertTrue(compare.out().contains("Every byte arrived intact."), () -> compare.out().toString());
        }
    }
}
