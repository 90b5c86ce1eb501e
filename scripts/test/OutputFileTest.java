import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import results.OutputFile;

/** A file is looked at, written beside what is there and replaces it at once. */
class OutputFileTest {
    @Test
    void replacesAFileAndKeepsItsPermissions() throws Exception {
        try (Kit kit = new Kit()) {
            Path old = Files.writeString(kit.dir.resolve("old"), "old");
            Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rw-r-----"));
            Path link = Files.createSymbolicLink(kit.dir.resolve("link"), Path.of("old"));
            OutputFile.of(link, "--output").writeText(out -> {
                out.write("new \u00e9");
                assertEquals("old", Files.readString(old));
            });
            assertEquals("new \u00e9", Files.readString(old));
            assertEquals("rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(old)));
            assertTrue(Files.isSymbolicLink(link));
            assertEquals(Set.of("old", "link"), list(kit));
        }
    }

    /** A link is followed also to where nothing is yet. */
    @Test
    void followsLinks() throws Exception {
        try (Kit kit = new Kit()) {
            Files.createDirectory(kit.dir.resolve("d"));
            Files.createSymbolicLink(kit.dir.resolve("d/second"), Path.of("new"));
            Path first = Files.createSymbolicLink(kit.dir.resolve("first"), Path.of("d/second"));
            OutputFile.of(first, "--output").writeText(out -> out.write("text"));
            assertEquals("text", Files.readString(kit.dir.resolve("d/new"), StandardCharsets.UTF_8));
            Path loop = Files.createSymbolicLink(kit.dir.resolve("loop"), Path.of("loop"));
            assertProblem(loop, "is a loop of symbolic links; choose another --output",
                    () -> OutputFile.of(loop, "--output"));
        }
    }

    @Test
    void anErrorLeavesWhatWasThere() throws Exception {
        try (Kit kit = new Kit()) {
            Path file = Files.writeString(kit.dir.resolve("file"), "old");
            OutputFile output = OutputFile.of(file, "--output");
            assertProblem(file, "no space", () -> output.write(out -> {
                throw new IOException("no space");
            }));
            assertProblem(file, "no space", () -> output.writeText(out -> {
                throw new UncheckedIOException(new IOException("no space"));
            }));
            assertEquals("old", Files.readString(file));
            assertEquals(Set.of("file"), list(kit));
        }
    }

    /** What looks like its own unfinished file may be anybody's. */
    @Test
    void leavesAFileInTheWay() throws Exception {
        try (Kit kit = new Kit()) {
            Path file = kit.dir.resolve("file");
            Path part = Files.writeString(kit.dir.resolve(".file." + ProcessHandle.current().pid()), "mine");
            OutputFile output = OutputFile.of(file, "--output");
            assertProblem(file, part + " is in the way; remove it", () -> output.write(out -> out.write(1)));
            assertEquals("mine", Files.readString(part));
        }
    }

    @Test
    void tellsWhetherTwoAreTheSame() throws Exception {
        try (Kit kit = new Kit()) {
            Files.createSymbolicLink(kit.dir.resolve("here"), Path.of("."));
            OutputFile file = OutputFile.of(kit.dir.resolve("a"), "--one");
            assertTrue(file.isSameAs(OutputFile.of(kit.dir.resolve("here/a"), "--two")));
            assertFalse(file.isSameAs(OutputFile.of(kit.dir.resolve("b"), "--two")));
            assertFalse(file.isSameAs(OutputFile.of(Path.of("-"), "--two")));
            assertTrue(OutputFile.of(Path.of("-"), "--one").isSameAs(OutputFile.of(Path.of("-"), "--two")));
        }
    }

    private static void assertProblem(Path file, String why, Executable action) {
        FileSystemException e = assertThrows(FileSystemException.class, action);
        assertEquals(file + ": " + why, e.getMessage());
    }

    private static Set<String> list(Kit kit) throws IOException {
        try (Stream<Path> files = Files.list(kit.dir)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }
}
