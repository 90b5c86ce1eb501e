import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Does what the READMEs say about faulty-receiver and about a writer that hangs, and compares with what they show. */
class ReadmeFaultyTest {
    private static final Path ROOT = Path.of("").toAbsolutePath();
    private static final List<Path> READMES = List.of(ROOT.resolve("README.md"), ROOT.resolve("scripts/README.md"));

    record Block(String language, List<String> lines) {
        String text() {
            return String.join("\n", lines) + "\n";
        }
    }

    /** The fenced blocks of the sections whose heading has these words, in order. */
    private static List<Block> blocks(String words) throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (Path readme : READMES) {
            addBlocks(blocks, Files.readAllLines(readme), words);
        }
        return blocks;
    }

    private static void addBlocks(List<Block> blocks, List<String> lines, String words) {
        boolean inSection = false;
        Block open = null;
        for (String line : lines) {
            if (line.startsWith("```")) {
                open = open == null ? new Block(line.substring(3), new ArrayList<>()) : null;
                if (open != null && inSection) {
                    blocks.add(open);
                }
            } else if (open != null) {
                open.lines().add(line);
            } else if (line.startsWith("#")) {
                inSection = line.contains(words);
            }
        }
    }

    private static Block example(String language) throws IOException {
        return blocks("faulty-receiver").stream().filter(block -> block.language().equals(language)).findFirst()
                .orElseThrow();
    }

    /** Types the commands into a shell, and what is shown after them is awaited before the next ones. */
    @ParameterizedTest
    @ValueSource(strings = "A writer that takes a refusal for an error")
    void everyCommandDoesWhatTheReadmeShows(String section) throws Exception {
        List<Block> blocks = blocks(section);
        assertFalse(blocks.isEmpty(), "no such section");
        try (Kit kit = new Kit()) {
            for (String file : List.of("jbang", "jbang-catalog.json", "scripts")) {
                Files.createSymbolicLink(kit.dir.resolve(file), ROOT.resolve(file));
            }
            Kit.Running shell = kit.run("bash", "-c", "exec bash 2>&1");
            OutputStream terminal = shell.process.getOutputStream();
            int before = 0;
            for (Block block : blocks) {
                if (block.language().equals("sh")) {
                    before = shell.out().size();
                    terminal.write(block.text().getBytes());
                    terminal.flush();
                } else if (block.language().equals("text")) { // a console is a transcript of another machine
                    for (String line : block.lines()) {
                        awaitShown(shell, before, line);
                    }
                }
            }
            terminal.close();
            shell.await();
        }
    }

    private static void awaitShown(Kit.Running shell, int before, String line) throws InterruptedException {
        AtomicInteger seen = new AtomicInteger();
        if (!line.equals("...")) {
            try {
                shell.awaitOut(out -> seen.getAndIncrement() >= before && comparable(out).equals(comparable(line)));
            } catch (AssertionError e) {
                throw new AssertionError("the README shows: " + line + "\n" + e.getMessage(), e);
            }
        }
    }

    /** Without what differs from run to run: widths, inode numbers of sockets, file descriptors. */
    private static String comparable(String line) {
        return line.strip().replaceAll(" +", " ").replaceAll("(sock|\\*) \\d+", "$1 N")
                .replaceAll("\\(\\d+, \"", "(N, \"");
    }

    private static Path copyOfTheReceiver(Kit kit) throws IOException {
        Path bin = Files.createDirectory(kit.dir.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("jbang"), ROOT.resolve("jbang"));
        return Files.copy(ROOT.resolve("scripts/faulty-receiver.java"), kit.dir.resolve("faulty-receiver.java"));
    }

    @Test
    void shellTestOfAnotherProjectPasses() throws Exception {
        try (Kit kit = new Kit()) {
            copyOfTheReceiver(kit);
            Files.writeString(kit.dir.resolve("writer-test.sh"), example("sh").text());
            Kit.Running test = kit.run("sh", "-c", "PATH=$PWD/bin:$PATH sh writer-test.sh");
            assertEquals(0, test.await(), () -> test.out() + " " + test.err());
            assertEquals(List.of("passed"), test.out());
        }
    }

    @Test
    void junitTestOfAnotherProjectPasses() throws Exception {
        try (Kit kit = new Kit()) {
            String source = example("java").text()
                    .replace("\"jbang\"", '"' + ROOT.resolve("jbang").toString() + '"')
                    .replace("\"faulty-receiver.java\"", '"' + copyOfTheReceiver(kit).toString() + '"');
            Path file = Files.writeString(kit.dir.resolve("WriterTest.java"), source);
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            assertEquals(0, compiler.run(null, null, null, "-Xlint:all", "-Werror", "-proc:none",
                    "-d", kit.dir.toString(), "-cp", System.getProperty("java.class.path"), file.toString()));
            try (URLClassLoader classes = new URLClassLoader(new URL[] {kit.dir.toUri().toURL()})) {
                SummaryGeneratingListener listener = new SummaryGeneratingListener();
                LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
                        .selectors(DiscoverySelectors.selectClass(classes.loadClass("WriterTest"))).build(), listener);
                TestExecutionSummary summary = listener.getSummary();
                assertEquals(List.of(), summary.getFailures().stream().map(f -> f.getException().toString()).toList());
                assertEquals(1, summary.getTestsSucceededCount());
            }
        }
    }
}
