import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The scripts that are for copying: their names, their texts, and the JDKs that can run them. */
final class Exemplars {
    static final Path ROOT = Path.of("").toAbsolutePath();

    private static Path compiled;

    private Exemplars() { }

    /** The senders that some JDK of this machine can run: virtual-sender needs 21. */
    static List<String> senders() throws IOException {
        return jdkOfVirtualThreads() == null ? allSenders().subList(0, 3) : allSenders();
    }

    static List<String> allSenders() {
        return List.of("blocking-sender", "nonblocking-sender", "poll-sender", "virtual-sender");
    }

    /** Those of them that have --give-up. */
    static List<String> patientSenders() throws IOException {
        return senders().stream().filter(sender -> !sender.equals("blocking-sender")).toList();
    }

    static List<String> scripts() throws IOException {
        return Stream.concat(senders().stream(), Stream.of("slow-receiver")).toList();
    }

    /** Starts an exemplar in a JVM of its own, virtual-sender in that of the JDK which has virtual threads. */
    static Kit.Running start(Kit kit, String script, String... args) throws IOException, InterruptedException {
        return kit.run(command(kit, script, args).toArray(String[]::new));
    }

    static List<String> command(Kit kit, String script, String... args) throws IOException, InterruptedException {
        if (!script.equals("virtual-sender")) {
            return kit.command(script, args);
        }
        List<String> command = new ArrayList<>(List.of(jdkOfVirtualThreads().resolve("bin/java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-cp", compiled() + ":" + System.getProperty("java.class.path"), "VirtualSender"));
        command.addAll(List.of(args));
        return command;
    }

    /** The tests are compiled for 17, so virtual-sender is compiled apart, once. */
    private static synchronized Path compiled() throws IOException, InterruptedException {
        if (compiled == null) {
            Path classes = Files.createTempDirectory("virtual");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(classes)));
            Process javac = new ProcessBuilder(jdkOfVirtualThreads().resolve("bin/javac").toString(), "-proc:none",
                    "-d", classes.toString(), "-cp", System.getProperty("java.class.path"),
                    ROOT.resolve("scripts/virtual-sender.java").toString()).redirectErrorStream(true).start();
            String output = new String(javac.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (javac.waitFor() != 0) {
                throw new AssertionError(output);
            }
            compiled = classes;
        }
        return compiled;
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static Path jdkOfVirtualThreads() throws IOException {
        for (Path jdk : jdks()) {
            if (feature(jdk) >= 21) {
                return jdk;
            }
        }
        return null;
    }

    /** The JDK that runs the tests and those where Debian puts them. */
    static List<Path> jdks() throws IOException {
        TreeSet<Path> homes = new TreeSet<>(List.of(Path.of(System.getProperty("java.home")).toRealPath()));
        if (Files.isDirectory(Path.of("/usr/lib/jvm"))) {
            try (Stream<Path> found = Files.list(Path.of("/usr/lib/jvm"))) {
                for (Path home : found.filter(home -> Files.isExecutable(home.resolve("bin/javac"))).toList()) {
                    homes.add(home.toRealPath());
                }
            }
        }
        return List.copyOf(homes);
    }

    /** The version of a JDK, as 17. */
    static int feature(Path jdk) throws IOException {
        String version = Files.readAllLines(jdk.resolve("release")).stream()
                .filter(line -> line.startsWith("JAVA_VERSION=")).findFirst().orElseThrow();
        return Integer.parseInt(version.replaceAll("JAVA_VERSION=\"(\\d+).*", "$1"));
    }

    static String text(String script) throws IOException {
        return Files.readString(ROOT.resolve("scripts/" + script + ".java"));
    }

    /** A method of a script, from its first line to its closing brace; empty if it has none of that name. */
    static String method(String script, String name) throws IOException {
        List<String> lines = text(script).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).matches("    (private |static |private static )\\w+ " + name + "\\(.*")) {
                return lines.subList(i, i + 1 + lines.subList(i, lines.size()).indexOf("    }")).stream()
                        .collect(Collectors.joining("\n", "", "\n"));
            }
        }
        return "";
    }

    /** Code without its comments, where no string holds a slash twice. */
    static String withoutComments(String code) {
        return code.replaceAll(" *//.*", "").replaceAll("(?s) */\\*.*?\\*/", "");
    }

    /** The figures of the seed belong to the default buffer and pages of 4 KiB. */
    static boolean seedsKernel() throws IOException {
        String buffer = Files.readAllLines(Path.of("/proc/sys/net/core/wmem_default")).get(0);
        Process getconf = new ProcessBuilder("getconf", "PAGESIZE").start();
        String page = new String(getconf.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        if (!buffer.equals("212992") || !page.equals("4096")) {
            System.out.println("  buffer " + buffer + ", page size " + page + ": the shape is tested, not the figures");
            return false;
        }
        return true;
    }
}
