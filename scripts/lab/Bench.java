package lab;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A temporary directory, and the scripts of the kit that run for a cell. Nothing of them is left after {@link #close},
 * which both the end of the cell, interrupted or not, and that of the kernel call.
 */
final class Bench implements AutoCloseable {
    private static final Set<Bench> OPEN = ConcurrentHashMap.newKeySet();
    /** compare ends its own children first, which takes a second. */
    private static final int PATIENCE_SECONDS = 10;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(Bench::close)));
    }

    final Path dir = Files.createTempDirectory("notebook-");
    private final List<Process> processes = new ArrayList<>();
    private boolean closed;

    Bench() throws IOException {
        OPEN.add(this);
    }

    /**
     * Starts a script in a JVM of its own, on the class path of this one. What it prints goes to files in the
     * directory, named after it: {@code .out} and {@code .err}; so do the files that it makes for itself.
     *
     * @param mainClass its class, which is in no package, so that no class of a room can refer to it
     * @param workingDirectory where relative paths among the arguments begin
     */
    synchronized Process start(Path workingDirectory, String mainClass, List<String> arguments) throws IOException {
        if (closed) {
            throw new CancellationException("the kernel ends");
        }
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + dir, "-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).directory(workingDirectory.toFile())
                .redirectInput(new File("/dev/null")).redirectOutput(file(mainClass, ".out").toFile())
                .redirectError(file(mainClass, ".err").toFile()).start();
        processes.add(process);
        return process;
    }

    /** What a script has printed so far, in whole lines. */
    String printed(String mainClass, String stream) throws IOException {
        String text = Files.readString(file(mainClass, stream));
        return text.substring(0, text.lastIndexOf('\n') + 1);
    }

    private Path file(String mainClass, String stream) {
        return dir.resolve(mainClass + stream);
    }

    @Override
    public synchronized void close() {
        if (closed) { // the other of the two has waited here until all was done: the kernel does not end before
            return;
        }
        closed = true;
        processes.forEach(Process::destroy);
        for (Process process : processes) { // join, unlike waitFor, is not cut short when the cell is interrupted again
            process.onExit().completeOnTimeout(null, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().onExit().join();
        }
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            System.err.println(dir + ": cannot be removed: " + e.getMessage());
        }
        OPEN.remove(this);
    }
}
