import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The notebooks, run by the kernel that is installed from a copy of the kit whose path has spaces. */
class NotebookRunTest {
    /** Runs all cells but the last, starts the last, and with the next line of input interrupts or ends the kernel. */
    private static final String CLIENT = """
            import json, sys
            from jupyter_client.manager import start_new_kernel

            def run(cell):
                return client.execute_interactive(cell, timeout=120, output_hook=lambda message: None)['content']

            manager, client = start_new_kernel(startup_timeout=120, kernel_name='slow-reader', cwd=sys.argv[1])
            try:
                cells = json.loads(sys.stdin.readline())
                for cell in cells[:-1]:
                    assert run(cell)['status'] == 'ok', cell
                client.execute(cells[-1])
                print('started', flush=True)
                if sys.stdin.readline() == 'end\\n':
                    sys.exit()
                manager.interrupt_kernel()
                print('interrupted:', client.get_shell_msg(timeout=60)['content']['status'], flush=True)
                print('next cell:', run('System.out.println(1);')['status'], flush=True)
                print('error:', run('compare("--interval=x")')['evalue'], flush=True)
                sys.stdin.readline()
            finally:
                manager.shutdown_kernel()
                print('ended', flush=True)
            """;

    private static Kit kit;
    private static Path copy;
    private static Map<String, String> environment;

    static List<String> notebooks() throws IOException {
        return Notebook.names();
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
                "JUPYTER_DATA_DIR", kit.dir.resolve("data").toString(),
                "JUPYTER_RUNTIME_DIR", kit.dir.resolve("runtime").toString(),
                "JUPYTER_CONFIG_DIR", kit.dir.resolve("config").toString(),
                "IPYTHONDIR", kit.dir.resolve("ipython").toString(),
                "JBANG_CACHE_DIR", kit.dir.resolve("cache").toString());
        Kit.Running install = install();
        assertEquals(0, install.await(200), () -> install.err().toString());
        assertEquals(List.of(), install.out());
    }

    @AfterAll
    static void removeKernel() throws IOException {
        kit.close();
    }

    private static Kit.Running install() throws IOException {
        return kit.run(environment, "sh", "-c", "cd 'a kit' && ./jbang notebook-kernel --install");
    }

    /** All that it takes is in Jupyter's directory by now, or else the copies of the kit and of JBang are needed. */
    @ParameterizedTest
    @MethodSource("notebooks")
    void runsFromTopToBottom(String name) throws Exception {
        Path alone = Files.createDirectories(kit.dir.resolve("notebooks of a user"));
        Path notebook = Files.copy(copy.resolve("notebooks").resolve(name), alone.resolve(name));
        Kit.Running running = kit.run(environment, "jupyter", "nbconvert", "--to", "notebook", "--execute",
                "--ExecutePreprocessor.record_timing=False", "--output-dir", kit.dir.resolve("executed").toString(),
                notebook.toString());
        assertEquals(0, running.await(200), () -> running.err().toString());

        Notebook executed = Notebook.read(kit.dir.resolve("executed").resolve(name));
        NotebookTest.assertCleanRun(executed);
        if (name.equals("many-readers.ipynb")) {
            NotebookTest.assertServed(executed);
        } else {
            assertWrites(executed);
        }
        try (Stream<Path> files = Files.list(alone)) {
            assertTrue(files.allMatch(file -> file.toString().endsWith(".ipynb")));
        }
    }

    /** The kernel's figures; a busy loop that the machine keeps from trying makes one step of two. */
    private static void assertWrites(Notebook executed) {
        Map<String, String> kernels = Map.of("blocking", "1048576", "poll", "219264, 4 \u00d7 182720, 98432",
                "virtual", "219264, 4 \u00d7 182720, 98432");
        List<String> senders = executed.row("");
        List<String> writes = executed.row("writes, bytes");
        assertTrue(senders.size() > 3);
        for (int i = 1; i < senders.size(); i++) {
            String expected = kernels.get(senders.get(i).replaceFirst(",.*", ""));
            if (expected != null) {
                assertEquals(expected, writes.get(i), senders.get(i));
            } else {
                assertEquals(1 << 20, Pattern.compile("(?:(\\d+) \u00d7 )?(\\d+)(?:, |$)").matcher(writes.get(i))
                        .results()
                        .mapToInt(group -> Integer.parseInt(group.group(2))
                        * (group.group(1) == null ? 1 : Integer.parseInt(group.group(1)))).sum(), writes.get(i));
                assertTrue(writes.get(i).startsWith("219264, "), writes.get(i));
            }
        }
    }

    @Test
    void interruptedComparisonLeavesNothing() throws Exception {
        assertLeavesNothing("", "var runs = compare(\"--interval=1m\");");
    }

    @Test
    void comparisonUnderWayEndsWithTheKernel() throws Exception {
        assertLeavesNothing("end", "var runs = compare(\"--interval=1m\");");
    }

    @Test
    void interruptedWorkLeavesNothing() throws Exception {
        assertLeavesNothing("", "sendAndWork(() -> { }, \"--interval=1m\")");
    }

    @Test
    void interruptedLookInsideLeavesNothing() throws Exception {
        assertLeavesNothing("", "lookInside(\"--interval=1m\")");
    }

    /** Runs the cell and, while it sends, interrupts it or ends the kernel. */
    private static void assertLeavesNothing(String how, String cell) throws Exception {
        try (Kit own = new Kit()) {
            Map<String, String> watched = new HashMap<>(environment);
            watched.put("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + own.dir);
            watched.put("MARK", own.dir.toString());
            Kit.Running running = own.run(watched, python(), "-c", CLIENT, copy.resolve("notebooks").toString());
            BufferedWriter input = running.process.outputWriter();
            send(input, new Gson().toJson(List.of(NotebookTest.SET_UP, cell)));
            running.awaitOut(line -> line.equals("started"));
            awaitConnection(own.dir);

            send(input, how);
            if (how.isEmpty()) {
                running.awaitOut(line -> line.equals("interrupted: error"));
                running.awaitOut(line -> line.equals("next cell: ok"));
                running.awaitOut(line -> line.matches("error: compare: .*'--interval': 'x' is not.*"));
                await(() -> processes(own.dir).stream().allMatch(command -> command.contains("jupyter_client")
                        || command.contains("NotebookKernel")), own.dir);
                assertEmpty(own.dir);
                send(input, "");
            }
            running.awaitOut(line -> line.equals("ended"));
            assertEquals(0, running.await(), () -> running.err().toString());
            await(() -> processes(own.dir).isEmpty(), own.dir);
            assertEmpty(own.dir);
        }
    }

    private static void send(BufferedWriter input, String line) throws IOException {
        input.write(line + "\n");
        input.flush();
    }

    private static void assertEmpty(Path dir) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            assertEquals(List.of(), files.toList());
        }
    }

    /** Waits until a receiver that a cell has started is connected. */
    private static void awaitConnection(Path mark) throws IOException, InterruptedException {
        await(() -> {
            Kit.Running ss = kit.run("ss", "-xpHn");
            ss.await();
            return ss.out().stream().map(Pattern.compile("ESTAB.* slow_receiver\\.sock .*[(,]pid=(\\d+)[,)]")::matcher)
                    .anyMatch(line -> line.find() && isOurs(Path.of("/proc", line.group(1)), mark));
        }, mark);
    }

    private interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    private static void await(Condition condition, Path mark) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Kit.PATIENCE_SECONDS);
        while (!condition.holds()) {
            assertTrue(System.nanoTime() < deadline, () -> "not in time; these run: " + processes(mark));
            Thread.sleep(50);
        }
    }

    /** Command lines of the processes that a client has started, directly or not, and of itself. */
    private static List<String> processes(Path mark) {
        return ProcessHandle.allProcesses().map(process -> Path.of("/proc", String.valueOf(process.pid())))
                .filter(process -> isOurs(process, mark)).map(process -> proc(process.resolve("cmdline"))).toList();
    }

    /** Whoever descends from a process that a test here has started has inherited its environment. */
    private static boolean isOurs(Path process, Path mark) {
        return proc(process.resolve("environ")).contains("MARK=" + mark);
    }

    /** A file in /proc, empty when the process has ended. */
    private static String proc(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }

    /** The Python that has Jupyter, which need not be the first one on the PATH. */
    private static String python() throws IOException, InterruptedException {
        Kit.Running which = kit.run("sh", "-c", "command -v jupyter");
        assertEquals(0, which.await());
        return Files.readAllLines(Path.of(which.out().get(0))).get(0).replaceFirst("^#!\\s*", "");
    }

    // --- how it is installed

    @Test
    void kernelOfAnotherOwnerStays() throws Exception {
        Path other = kit.dir.resolve("others");
        Path description = Files.createDirectories(other.resolve("kernels/slow-reader")).resolve("kernel.json");
        Files.writeString(description, "{\"argv\": [\"other\"]}");
        Map<String, String> theirs = new HashMap<>(environment);
        theirs.put("JUPYTER_DATA_DIR", other.toString());
        Kit.Running refused = kit.run(theirs, "sh", "-c", "cd 'a kit' && ./jbang --quiet notebook-kernel --install");
        assertEquals(1, refused.await());
        assertEquals(List.of("notebook-kernel: " + description.getParent() + ": is another kernel of this name; remove"
                + " it first, with jupyter kernelspec remove slow-reader"), refused.err());
        assertEquals("{\"argv\": [\"other\"]}", Files.readString(description));
    }

    @Test
    void withoutJupyterItGoesWhereJupyterLooks() throws Exception {
        Map<String, String> none = new HashMap<>(environment);
        none.put("JUPYTER_DATA_DIR", "");
        none.put("HOME", kit.dir.resolve("home").toString());
        none.put("PATH", "/nowhere");
        Kit.Running installed = kit.run(none, kernel("--install"));
        assertEquals(0, installed.await(), () -> installed.err().toString());
        Path dir = kit.dir.resolve("home/.local/share/jupyter/kernels/slow-reader");
        assertTrue(Files.readString(dir.resolve("kernel.json")).contains(dir.toString()));
    }

    @Test
    void withoutArgumentsItSaysHowToUseIt() throws Exception {
        Kit.Running usage = kit.run(environment, kernel());
        assertNotEquals(0, usage.await());
        assertEquals(List.of("notebook-kernel: use --install once; then Jupyter starts it with a CONNECTION_FILE"
                + " (see --help)"), usage.err());
    }

    /** The command of the installed kernel, with other arguments. */
    private static String[] kernel(String... arguments) throws IOException {
        Notebook description = Notebook.read(kit.dir.resolve("data/kernels/slow-reader/kernel.json"));
        List<String> command = new ArrayList<>(description.json().getAsJsonArray("argv").asList().stream()
                .map(JsonElement::getAsString).filter(word -> !word.equals("{connection_file}")).toList());
        command.addAll(List.of(arguments));
        return command.toArray(String[]::new);
    }
}
