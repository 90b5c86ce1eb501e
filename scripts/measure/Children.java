package measure;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The processes of the run under way, in a private directory, and how they are made to end. */
public final class Children {
    static final Path SETSID = Path.of("/usr/bin/setsid");

    private final List<Process> running = new ArrayList<>();
    private final Path base;
    private final Watchdog watchdog;
    private int directories;

    public Children() throws IOException {
        base = Files.createTempDirectory("compare-");
        watchdog = Files.isExecutable(SETSID) ? new Watchdog() : null;
    }

    /** A directory for one run, whose files stay until all is over. */
    public Path newDirectory() throws IOException {
        return Files.createDirectory(base.resolve(String.valueOf(++directories)));
    }

    /** A JVM on our class path; what its libraries unpack goes to our directory and vanishes with it. */
    public List<String> jvm(List<String> options, String mainClass, List<String> arguments) {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmn4m",
                "-Djava.io.tmpdir=" + base));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, mainClass));
        command.addAll(arguments);
        return command;
    }

    /** Starts a child, if possible in a session of its own: Ctrl-C is for us alone, and its group can be ended. */
    public Process start(Path dir, String name, List<String> command) throws IOException {
        List<String> all = new ArrayList<>(watchdog == null ? List.of() : List.of(SETSID.toString()));
        all.addAll(command);
        Process process = new ProcessBuilder(all).directory(dir.toFile()).redirectInput(new File("/dev/null"))
                .redirectOutput(dir.resolve(name + ".out").toFile())
                .redirectError(dir.resolve(name + ".err").toFile()).start();
        running.add(process);
        watch();
        return process;
    }

    private void watch() throws IOException {
        if (watchdog != null) {
            watchdog.watch(running);
        }
    }

    /** Asks the children, and what they have started, to end; a second later kills what is left. */
    public void stop() throws IOException, InterruptedException {
        for (Process child : running) {
            child.descendants().forEach(ProcessHandle::destroy);
            child.destroy();
        }
        signalGroups("TERM");
        for (Process child : running) {
            child.waitFor(1, TimeUnit.SECONDS);
            child.descendants().forEach(ProcessHandle::destroyForcibly);
            child.destroyForcibly();
        }
        signalGroups("KILL");
        for (Process child : running) {
            child.waitFor();
        }
        running.clear();
        watch();
    }

    private void signalGroups(String signal) throws IOException, InterruptedException {
        for (Process child : running) {
            new ProcessBuilder("sh", "-c", "kill -s " + signal + " -- -" + child.pid()).redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD).start().waitFor();
        }
    }

    /** Removes the private directory with all that is in it. */
    public void removeDirectory() throws IOException {
        try (Stream<Path> files = Files.walk(base)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
