import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Starts the scripts and their peers as processes of their own, in a directory of their own, and watches them. */
final class Kit implements Closeable {
    /** Long enough for a loaded machine; nothing here measures speed. */
    static final int PATIENCE_SECONDS = 60;

    private static final List<String> JVM = List.of(System.getProperty("java.home") + "/bin/java",
            "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmn4m",
            "-Djava.awt.headless=true");

    /** Working directory of everything that this kit starts; short, as a socket path has at most 107 bytes. */
    final Path dir;
    private final List<Running> started = new ArrayList<>();

    Kit() throws IOException {
        dir = Files.createTempDirectory("kit");
    }

    /** Starts a script by its alias in a JVM of its own, as JBang does. */
    Running script(String alias, String... args) throws IOException {
        return run(command(alias, args).toArray(String[]::new));
    }

    List<String> command(String alias, String... args) {
        List<String> command = new ArrayList<>(JVM);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(className(alias));
        command.addAll(List.of(args));
        return command;
    }

    Running python(String program, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of("python3", "-c", program));
        command.addAll(List.of(args));
        return run(command.toArray(String[]::new));
    }

    /** The events of one name that a script printed with --json. */
    static Stream<JsonObject> events(Running script, String name) {
        return script.out().stream().map(line -> JsonParser.parseString(line).getAsJsonObject())
                .filter(event -> event.get("event").getAsString().equals(name));
    }

    static String className(String alias) {
        StringBuilder name = new StringBuilder();
        for (String word : alias.split("-")) {
            name.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        return name.toString();
    }

    /** Starts any program. */
    Running run(String... command) throws IOException {
        return run(Map.of(), command);
    }

    Running run(Map<String, String> environment, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(dir.toFile());
        builder.environment().putAll(environment);
        Running running = new Running(builder.start());
        started.add(running);
        return running;
    }

    /** Starts a slow receiver at slow_receiver.sock and waits until it listens. */
    Running receiver(String... args) throws IOException, InterruptedException {
        return listening("slow-receiver", args);
    }

    /** Starts a faulty receiver at slow_receiver.sock and waits until it listens. */
    Running faultyReceiver(String... args) throws IOException, InterruptedException {
        return listening("faulty-receiver", args);
    }

    private Running listening(String alias, String... args) throws IOException, InterruptedException {
        Running receiver = script(alias, args);
        boolean json = List.of(args).contains("--json");
        if (json) {
            receiver.awaitOut(line -> line.contains("\"listening\""));
        } else {
            receiver.awaitErr(line -> line.contains("listening on"));
        }
        return receiver;
    }

    @Override
    public void close() throws IOException {
        for (Running running : started) {
            running.process.descendants().forEach(ProcessHandle::destroyForcibly);
            running.process.destroyForcibly();
        }
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** A process and what it has printed. */
    static final class Running {
        final Process process;
        private final Lines out;
        private final Lines err;

        Running(Process process) {
            this.process = process;
            out = new Lines(process.inputReader(StandardCharsets.UTF_8));
            err = new Lines(process.errorReader(StandardCharsets.UTF_8));
        }

        /** Waits for the end and for all output; the exit status. */
        int await() throws InterruptedException {
            return await(PATIENCE_SECONDS);
        }

        int await(int seconds) throws InterruptedException {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                throw new AssertionError("still running after " + seconds + " s; output: " + out + ", error: " + err);
            }
            out.awaitEnd();
            err.awaitEnd();
            return process.exitValue();
        }

        String awaitOut(Predicate<String> wanted) throws InterruptedException {
            return out.await(wanted);
        }

        String awaitErr(Predicate<String> wanted) throws InterruptedException {
            return err.await(wanted);
        }

        /** Waits for an event that a script prints with --json, the first of its name. */
        JsonObject awaitEvent(String name) throws InterruptedException {
            String line = awaitOut(printed -> printed.contains("\"event\":\"" + name + '"'));
            return JsonParser.parseString(line).getAsJsonObject();
        }

        /** Waits until a socket of this process holds so many unread bytes, which ss tells while a sender is in write. */
        void awaitUnread(int bytes) throws IOException, InterruptedException {
            String wanted = "\\S+\\s+ESTAB\\s+" + bytes + "\\s.*[(,]pid=" + process.pid() + "[,)].*";
            for (long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);;) {
                Running ss = new Running(new ProcessBuilder("ss", "-xpHn").start());
                ss.await();
                if (ss.out().stream().anyMatch(line -> line.matches(wanted))) {
                    return;
                }
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("never " + bytes + " bytes unread at process " + process.pid() + ": " + ss.out());
                }
            }
        }

        List<String> out() {
            return out.all();
        }

        List<String> err() {
            return err.all();
        }

        /** Sends a signal by its name, as STOP. */
        void signal(String name) throws IOException, InterruptedException {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
        }
    }

    /** Collects lines until the end of the stream. */
    private static final class Lines extends Thread {
        private final BufferedReader reader;
        private final List<String> lines = new ArrayList<>();
        private boolean ended;

        Lines(BufferedReader reader) {
            this.reader = reader;
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            try (reader) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    add(line);
                }
            } catch (IOException e) {
                add("(unreadable: " + e + ")");
            } finally {
                end();
            }
        }

        private synchronized void add(String line) {
            lines.add(line);
            notifyAll();
        }

        private synchronized void end() {
            ended = true;
            notifyAll();
        }

        synchronized List<String> all() {
            return List.copyOf(lines);
        }

        synchronized void awaitEnd() throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (!ended && System.nanoTime() < deadline) {
                wait(100);
            }
        }

        synchronized String await(Predicate<String> wanted) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            for (int seen = 0;; seen++) {
                while (seen == lines.size()) {
                    if (ended || System.nanoTime() > deadline) {
                        throw new AssertionError("no such line among " + lines);
                    }
                    wait(100);
                }
                if (wanted.test(lines.get(seen))) {
                    return lines.get(seen);
                }
            }
        }

        @Override
        public String toString() {
            return all().toString();
        }
    }
}
