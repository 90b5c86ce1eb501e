import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/** Where plot writes, or says in a line why it cannot. */
class PlotOutputTest {
    @Test
    void outputIsReplacedOnlyByACompletePicture() throws Exception {
        try (Kit kit = new Kit()) {
            Samples.write(kit, "c.json", Samples.measured());
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
            Samples.write(kit, "c.json", Samples.measured());
            drawn(kit, "--chart", "writes", "c.json");
            assertEquals(List.of(),
                    redirected(0, kit, "exec \"$@\" > piped", "--chart", "writes", "--output", "-", "c.json"));
            assertEquals(-1, Files.mismatch(kit.dir.resolve("writes.png"), kit.dir.resolve("piped")));
        }
    }

    /** With both streams closed the JVM has files of its own there, which it needs. */
    @Test
    void standardOutputCannotBeWritten() throws Exception {
        try (Kit kit = new Kit()) {
            Samples.write(kit, "c.json", Samples.measured());
            assertEquals(List.of("plot: standard output: No space left on device"),
                    redirected(1, kit, "exec \"$@\" > /dev/full", "--output", "-", "c.json"));
            assertEquals(List.of("plot: standard output: Broken pipe"),
                    redirected(1, kit, "exec 3> >(:); wait $!; exec \"$@\" >&3", "--output", "-", "c.json"));
            for (String closed : List.of(">&-", "0>&- >&-", "1< c.json")) {
                assertEquals(List.of("plot: standard output: is not open for writing"),
                        redirected(1, kit, "exec \"$@\" " + closed, "--output", "-", "missing.json"));
            }
            assertEquals(List.of(), redirected(1, kit, "exec \"$@\" >&- 2>&-", "--output", "-", "c.json"));
            assertEquals(List.of(), redirected(0, kit, "exec \"$@\" >&- 2>&-", "c.json"));
            assertEquals(900, ImageIO.read(kit.dir.resolve("timeline.png").toFile()).getWidth());
            assertEquals(List.of("plot: standard output: cannot be written to"),
                    redirected(1, kit, "exec \"$@\" > /dev/full", "--help"));
        }
    }

    /** Runs plot from a shell; what it said on standard error. */
    private static List<String> redirected(int status, Kit kit, String script, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of("bash", "-c", script, "sh"));
        command.addAll(kit.command("plot", args));
        Kit.Running plot = kit.run(command.toArray(String[]::new));
        assertEquals(status, plot.await(), () -> script + ": " + plot.err());
        return plot.err();
    }

    @Test
    void namesThatTheLocaleDoesNotHave() throws Exception {
        try (Kit kit = new Kit()) {
            String unknown = "characters that the locale does not have; set one that has them, as LC_ALL=C.UTF-8"
                    + " (see --help)";
            Samples.write(kit, "c.json", Samples.measured());
            String json = kit.dir.resolve("c.json").toString();
            assertEquals(List.of("plot: Invalid value for option '--output': a name with " + unknown),
                    inPlainLocale(2, kit, ".", "c.json", "--output", "\u00e9.png"));
            assertEquals(List.of("plot: Invalid value for positional parameter at index 0..* (FILE): a name with "
                    + unknown), inPlainLocale(2, kit, ".", "\u00e9.json"));
            assertEquals(List.of("plot: Invalid value for positional parameter at index 0..* (FILE):"
                    + " the working directory has a name with " + unknown), inPlainLocale(2, kit, "\u00e9", "c.json"));
            assertEquals(List.of("plot: timeline.png: the locale does not have the name of the working directory;"
                    + " choose another --output"), inPlainLocale(1, kit, "\u00e9", json));
            assertEquals(List.of(), inPlainLocale(0, kit, "\u00e9", json, "--output", kit.dir + "/out.png"));
            Set<String> files = list(kit);
            files.removeIf(name -> !name.matches("\\p{ASCII}+"));
            assertEquals(Set.of("c.json", "out.png"), files);
        }
    }

    /** Runs plot in a directory below, through a shell that has the bytes of the names. */
    private static List<String> inPlainLocale(int status, Kit kit, String directory, String... args) throws Exception {
        Path file = Files.writeString(Files.createTempFile("plot", ".sh"),
                "mkdir -p %1$s; cd %1$s; LC_ALL=C exec \"$@\" '%2$s'".formatted(directory, String.join("' '", args)));
        try {
            List<String> command = new ArrayList<>(List.of("sh", file.toString()));
            command.addAll(kit.command("plot"));
            Kit.Running plot = kit.run(command.toArray(String[]::new));
            assertEquals(status, plot.await(), () -> plot.err().toString());
            return plot.err();
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void outputIsCheckedBeforeAnythingIsRead() throws Exception {
        try (Kit kit = new Kit()) {
            Samples.write(kit, "c.json", Samples.measured());
            Files.createSymbolicLink(kit.dir.resolve("same.json"), Path.of("c.json"));
            for (String output : List.of(".", "/dev/null")) {
                assertEquals(List.of("plot: " + output + ": is not a regular file; choose another --output"),
                        failed(1, kit, "--output", output, "missing.json"));
            }
            assertEquals(List.of("plot: no/out.png: its directory does not exist; choose another --output"),
                    failed(1, kit, "--output", "no/out.png", "missing.json"));
            for (String output : List.of("c.json", "same.json")) {
                assertEquals(List.of("plot: " + output + ": is one of the input files; choose another --output"),
                        failed(1, kit, "--output", output, "missing.json", "c.json"));
            }
            assertEquals(Samples.measured(), JsonParser.parseString(Files.readString(kit.dir.resolve("c.json"))));
        }
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

    private static Set<String> list(Kit kit) throws IOException {
        try (Stream<Path> files = Files.list(kit.dir)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }
}
