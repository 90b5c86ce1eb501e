import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a user does with the kit: run it with JBang, by file, alias and template, on each JDK, and copy from it. */
class StandaloneTest {
    private static final Path ROOT = Path.of("").toAbsolutePath();
    private static final String JBANG = ROOT.resolve("jbang").toString();

    static List<String> scripts() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("scripts"))) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".java"))
                    .map(name -> name.replace(".java", "")).sorted().toList();
        }
    }

    /** Those that some JDK of this machine can run. */
    static List<String> runnable() throws IOException {
        boolean virtual = Exemplars.jdkOfVirtualThreads() != null;
        return scripts().stream().filter(script -> virtual || !script.equals("virtual-sender")).toList();
    }

    static List<String> standalone() throws IOException {
        List<String> alone = new ArrayList<>();
        for (String script : runnable()) {
            if (Exemplars.text(script).lines().noneMatch(line -> line.startsWith("//SOURCES"))) {
                alone.add(script);
            }
        }
        return alone;
    }

    /** The JDK that runs the tests, or for virtual-sender one that can. */
    private static Map<String, String> environment(String script) throws IOException {
        return script.equals("virtual-sender") ? environment(Exemplars.jdkOfVirtualThreads()) : Map.of();
    }

    private static Map<String, String> environment(Path jdk) {
        return Map.of("JAVA_HOME", jdk.toString(), "PATH", jdk.resolve("bin") + ":" + System.getenv("PATH"));
    }

    private static JsonObject catalog() throws IOException {
        return JsonParser.parseString(Files.readString(ROOT.resolve("jbang-catalog.json"))).getAsJsonObject();
    }

    @ParameterizedTest
    @MethodSource("standalone")
    void runsAloneInAnEmptyDirectory(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Files.copy(ROOT.resolve("scripts/" + script + ".java"), kit.dir.resolve(script + ".java"));
            Kit.Running running = kit.run(environment(script), JBANG, script + ".java", "--version");
            assertEquals(0, running.await(), () -> running.err().toString());
            assertEquals(List.of(script + " 1.0"), running.out());
        }
    }

    @Test
    void copiedSenderAndReceiverWorkTogether() throws Exception {
        try (Kit kit = new Kit()) {
            for (String script : List.of("slow-receiver", "poll-sender")) {
                Files.copy(ROOT.resolve("scripts/" + script + ".java"), kit.dir.resolve(script + ".java"));
            }
            Kit.Running receiver = kit.run(JBANG, "slow-receiver.java", "--interval", "10ms", "--connections", "1");
            receiver.awaitErr(line -> line.equals("slow-receiver: listening on slow_receiver.sock"));
            Kit.Running sender = kit.run(JBANG, "poll-sender.java");
            assertEquals(0, sender.await());
            assertEquals(0, receiver.await());
            assertEquals("wrote 219264 bytes", sender.out().get(0));
        }
    }

    @Test
    void catalogNamesEveryScript() throws Exception {
        TreeSet<String> expected = new TreeSet<>(scripts());
        expected.add("run-tests");
        assertEquals(expected, new TreeSet<>(catalog().getAsJsonObject("aliases").keySet()));
    }

    @ParameterizedTest
    @MethodSource("runnable")
    void aliasRunsTheScript(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running running = kit.run(environment(script), JBANG, "--catalog",
                    ROOT.resolve("jbang-catalog.json").toString(), script, "--version");
            assertEquals(0, running.await(), () -> running.err().toString());
            assertEquals(List.of(script + " 1.0"), running.out());
        }
    }

    @Test
    void templateCopiesAnExemplarByteForByte() throws Exception {
        try (Kit kit = new Kit()) {
            Files.createSymbolicLink(kit.dir.resolve("scripts"), ROOT.resolve("scripts"));
            Files.copy(ROOT.resolve("jbang-catalog.json"), kit.dir.resolve("jbang-catalog.json"));
            Set<String> templates = catalog().getAsJsonObject("templates").keySet();
            assertTrue(templates.containsAll(Exemplars.allSenders()) && templates.contains("slow-receiver"));
            for (String template : templates) {
                assertEquals(0, kit.run(JBANG, "init", "-t", template, "my-" + template + ".java").await());
                assertArrayEquals(Files.readAllBytes(ROOT.resolve("scripts/" + template + ".java")),
                        Files.readAllBytes(kit.dir.resolve("my-" + template + ".java")));
            }
            Kit.Running running = kit.run(JBANG, "my-poll-sender.java", "--version");
            assertEquals(0, running.await());
        }
    }

    /** JBang says so itself; the script need not. */
    @Test
    void virtualSenderIsRefusedBelowJdk21() throws Exception {
        for (Path jdk : Exemplars.jdks()) {
            if (Exemplars.feature(jdk) < 21) {
                try (Kit kit = new Kit()) {
                    String script = ROOT + "/scripts/virtual-sender.java";
                    Kit.Running running = kit.run(environment(jdk), JBANG, script, "--version");
                    assertTrue(running.await() != 0);
                    assertEquals("[jbang] [ERROR] No suitable JDK was found for requested version: 21",
                            running.err().get(0));
                    assertEquals(List.of(), running.out());
                }
            }
        }
    }

    /** Beyond ASCII, JDK 17 reads a source as the locale has it. */
    @Test
    void linesFitAScreenAndAnyLocale() throws Exception {
        for (String script : scripts()) {
            for (String line : Files.readAllLines(ROOT.resolve("scripts/" + script + ".java"))) {
                assertTrue(line.length() <= 120 && line.matches("\\p{ASCII}*"), script + ": " + line);
            }
        }
    }

    @Test
    void runsInThePosixLocale() throws Exception {
        try (Kit kit = new Kit()) {
            for (String script : runnable()) {
                Map<String, String> environment = new HashMap<>(environment(script));
                environment.put("LC_ALL", "C");
                environment.put("JBANG_DIR", kit.dir.resolve("jbang").toString());
                Kit.Running running = kit.run(environment, JBANG, ROOT + "/scripts/" + script + ".java", "--version");
                assertEquals(0, running.await(), () -> running.err().toString());
            }
        }
    }

    static List<Path> jdks() throws IOException {
        return Exemplars.jdks();
    }

    @ParameterizedTest
    @MethodSource("jdks")
    void runsWithoutAWarningOnEachJdk(Path jdk) throws Exception {
        List<String> all = scripts().stream()
                .filter(script -> !script.equals("virtual-sender") || feature(jdk) >= 21).toList();
        try (Kit kit = new Kit()) {
            Map<String, String> environment = new HashMap<>(environment(jdk));
            environment.put("JBANG_DIR", kit.dir.resolve("jbang").toString());
            for (String script : all) { // builds it
                Kit.Running built = kit.run(environment, JBANG, ROOT + "/scripts/" + script + ".java", "--version");
                assertEquals(0, built.await(), () -> built.err().toString());
            }
            Kit.Running receiver = kit.run(environment, JBANG, ROOT + "/scripts/slow-receiver.java", "-t", "0s");
            receiver.awaitErr("slow-receiver: listening on slow_receiver.sock"::equals);
            for (String sender : Exemplars.allSenders()) {
                if (all.contains(sender)) {
                    String file = ROOT + "/scripts/" + sender + ".java";
                    Kit.Running running = kit.run(environment, JBANG, file, "-n", "1000");
                    assertEquals(0, running.await());
                    assertEquals(List.of("wrote 1000 bytes"), running.out());
                    assertEquals(List.of(), running.err());
                }
            }
            assertEquals(1, receiver.err().size(), () -> receiver.err().toString());
            for (String script : all) {
                Kit.Running help = kit.run(environment, JBANG, ROOT + "/scripts/" + script + ".java", "--help");
                assertEquals(0, help.await());
                assertEquals(List.of(), help.err());
            }
        }
    }

    private static int feature(Path jdk) {
        try {
            return Exemplars.feature(jdk);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void wrapperPassesArgumentsInputExitStatusAndSignals() throws Exception {
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve("echo.java"), """
                    class echo {
                        public static void main(String... args) throws Exception {
                            for (String arg : args) {
                                System.out.println(arg);
                            }
                            System.out.println(new String(System.in.readAllBytes()) + ProcessHandle.current().pid());
                            if (args.length == 0) {
                                Thread.sleep(60_000);
                            }
                            System.exit(42);
                        }
                    }
                    """);
            Kit.Running echo = kit.run(JBANG, "echo.java", "a b", "\"c'", "$HOME", "*");
            try (OutputStream input = echo.process.getOutputStream()) {
                input.write("piped in ".getBytes());
            }
            assertEquals(42, echo.await());
            assertEquals(List.of("a b", "\"c'", "$HOME", "*", "piped in " + echo.process.pid()), echo.out());

            Kit.Running waiting = kit.run(JBANG, "echo.java");
            waiting.process.getOutputStream().close();
            waiting.awaitOut(line -> line.equals(Long.toString(waiting.process.pid())));
            waiting.signal("TERM");
            assertEquals(143, waiting.await());
        }
    }

    @Test
    void wrapperPrefersAnInstalledJBangButNotItself() throws Exception {
        try (Kit kit = new Kit()) {
            Path bin = Files.createDirectory(kit.dir.resolve("with space"));
            Files.writeString(bin.resolve("jbang"), "#!/bin/sh\necho \"installed: $*\"\n");
            assertTrue(bin.resolve("jbang").toFile().setExecutable(true));
            String path = ROOT + ":" + bin + ":" + System.getenv("PATH");
            Kit.Running running = kit.run(Map.of("PATH", path), JBANG, "poll-sender", "--help");
            assertEquals(0, running.await());
            assertEquals(List.of("installed: poll-sender --help"), running.out());
        }
    }

    @Test
    void wrapperSaysWhatToInstall() throws Exception {
        try (Kit kit = new Kit()) {
            Path bin = Files.createDirectory(kit.dir.resolve("bin"));
            for (String tool : List.of("sh", "mkdir", "mktemp", "rm")) {
                Files.createSymbolicLink(bin.resolve(tool), Path.of("/bin/" + tool).toRealPath());
            }
            Map<String, String> environment = Map.of("PATH", bin.toString(), "JAVA_HOME", "",
                    "XDG_CACHE_HOME", kit.dir.resolve("cache").toString());
            Kit.Running neither = kit.run(environment, JBANG, "--version");
            assertEquals(1, neither.await());
            assertEquals(List.of("jbang: no Java found: install a JDK 17 or later"
                    + " (Debian: apt install openjdk-17-jdk-headless)"), neither.err());
            Files.createSymbolicLink(bin.resolve("java"), Path.of(System.getProperty("java.home"), "bin/java"));
            Kit.Running noMaven = kit.run(environment, JBANG, "--version");
            assertEquals(1, noMaven.await());
            assertEquals(List.of("jbang: no JBang and no Maven found: install JBang (https://www.jbang.dev)"
                    + " or Maven (Debian: apt install maven)"), noMaven.err());
        }
    }

    @Test
    void wrapperFetchesJBangOnceWithMaven() throws Exception {
        try (Kit kit = new Kit()) {
            Map<String, String> environment = Map.of("XDG_CACHE_HOME", kit.dir.resolve("a cache").toString(),
                    "JBANG_DIR", kit.dir.resolve("jbang").toString());
            String script = ROOT.resolve("scripts/poll-sender.java").toString();
            Kit.Running first = kit.run(environment, JBANG, script, "--version");
            assertEquals(0, first.await(), () -> first.err().toString());
            assertEquals("jbang: fetching JBang 0.132.1 with Maven, once", first.err().get(0));
            assertEquals(List.of("poll-sender 1.0"), first.out());
            Kit.Running second = kit.run(environment, JBANG, script, "--version");
            assertEquals(0, second.await());
            assertEquals(List.of(), second.err());
            assertEquals(List.of("poll-sender 1.0"), second.out());
        }
    }
}
