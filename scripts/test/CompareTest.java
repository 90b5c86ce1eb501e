import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Senders of all kinds in a comparison, good and bad, and all the ways in which a comparison can end. */
class CompareTest {
    /** Starts compare with the kit's directory for its temporary files, so that a test sees what it leaves there. */
    static Kit.Running compare(Kit kit, String... args) throws IOException {
        return kit.run(command(kit, args).toArray(String[]::new));
    }

    static List<String> command(Kit kit, String... args) {
        List<String> command = new ArrayList<>(kit.command("compare", args));
        command.add(1, "-Djava.io.tmpdir=" + kit.dir);
        return command;
    }

    static List<String> files(Kit kit) throws IOException {
        try (Stream<Path> files = Files.list(kit.dir)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Kit.PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "the awaited did not happen");
            Thread.sleep(5);
        }
    }

    static boolean isAlive(Path pidFile) {
        try {
            long pid = Long.parseLong(Files.readString(pidFile).strip());
            return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void eachCommandGetsItsRow() throws Exception {
        try (Kit kit = new Kit()) {
            byte[] data = new byte[1 << 20];
            new Random(1).nextBytes(data);
            Path input = Files.write(kit.dir.resolve("input"), data);
            data[data.length / 2]++;
            Path changed = Files.write(kit.dir.resolve("changed"), data);
            Map<String, String> commands = new TreeMap<>();
            commands.put("socat", "socat -u OPEN:" + input + " UNIX-CONNECT:{socket}");
            commands.put("python", "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX);"
                    + " s.connect(\"slow_receiver.sock\"); s.sendall(open(\"" + input + "\", \"rb\").read())'");
            commands.put("nc", "nc -N -U {socket} < " + input);
            commands.put("never-connects", "sleep 100");
            commands.put("never-sends", "exec socat -u 'EXEC:sleep 100' UNIX-CONNECT:{socket}");
            commands.put("exits-3", "socat -u OPEN:" + input + ",readbytes=5000 UNIX-CONNECT:{socket};"
                    + " echo broken >&2; exit 3");
            commands.put("too-little", "socat -u OPEN:" + input + ",readbytes=5000 UNIX-CONNECT:{socket}");
            commands.put("wrong-bytes", "socat -u OPEN:" + changed + " UNIX-CONNECT:{socket}");
            commands.put("no-program", "/no/such/program");
            commands.put("forks", "sleep 100 & echo $! > " + kit.dir + "/pid;"
                    + " socat -u OPEN:" + input + " UNIX-CONNECT:{socket}");
            commands.put("a|b", "(socat -u OPEN:" + input + " UNIX-CONNECT:{socket} &)");
            List<String> args = new ArrayList<>(List.of("--interval", "2ms", "--sender", "poll", "--deadline", "8s",
                    "--input", "input", "--export-json", "a.json", "--export-markdown", "a.md"));
            commands.forEach((name, command) -> args.addAll(List.of("--command", name + "=" + command)));
            Kit.Running compare = compare(kit, args.toArray(String[]::new));
            assertEquals(1, compare.await());
            assertFalse(String.join("\n", compare.err()).contains("Exception"), () -> compare.err().toString());
            Map<String, JsonObject> runs = new TreeMap<>();
            CompareFiguresTest.runs(CompareFiguresTest.json(kit, "a.json"))
                    .forEach(run -> runs.put(CompareFiguresTest.text(run, "sender"), run));
            assertEquals(commands.size() + 1, runs.size());
            for (String good : List.of("poll-sender", "socat", "python", "nc", "forks", "a|b")) {
                assertTrue(runs.get(good).get("error").isJsonNull(), () -> runs.get(good).toString());
                assertTrue(runs.get(good).get("intact").getAsBoolean(), () -> runs.get(good).toString());
                assertEquals(1 << 20, runs.get(good).get("delivered").getAsInt());
                assertFalse(runs.get(good).get("process_user").isJsonNull());
            }
            assertTrue(runs.get("python").get("process_user").getAsDouble() > 0);
            assertTrue(runs.get("socat").get("accepted_seconds").getAsDouble() > 0.08);
            assertTrue(runs.get("socat").get("writes").isJsonNull());
            List<String> problems = List.of(
                    "exits-3: broken (exit status 3)",
                    "never-connects: aborted: no progress for N s, 0 of 1048576 bytes (deadline 8.0 s)",
                    "never-sends: aborted: no progress for N s, 0 of 1048576 bytes (deadline 8.0 s)",
                    "no-program: sh: 1: /no/such/program: not found (exit status 127)",
                    "too-little: 5000 of 1048576 bytes arrived",
                    "wrong-bytes: other bytes arrived than it should have sent");
            String out = String.join("\n", compare.out()).replaceAll("progress for \\d+\\.\\d s", "progress for N s");
            for (String problem : problems) {
                String name = problem.substring(0, problem.indexOf(':'));
                assertTrue(out.contains("\n" + problem + "\n"), () -> problem + " in " + out);
                assertTrue(runs.get(name).get("intact").isJsonNull() || !runs.get(name).get("intact").getAsBoolean());
            }
            assertEquals(5000, runs.get("exits-3").get("delivered").getAsInt());
            assertTrue(Files.readString(kit.dir.resolve("a.md")).contains(" | a\\|b | "));
            await(() -> !isAlive(kit.dir.resolve("pid")));
            assertEquals(List.of("a.json", "a.md", "changed", "input", "pid"), files(kit));
        }
    }

    @Test
    void senderThatFailsShowsItsOwnError() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = compare(kit, "--interval", "1s", "--read-size", "1m", "--give-up", "200ms",
                    "--size", "2m", "--sndbuf", "4k", "--chunk", "4k", "--sender", "poll-sender",
                    "--sender", "blocking", "--export-csv", "-");
            assertEquals(1, compare.await());
            assertTrue(compare.out().get(1).matches("blocking-sender,blocking,1,\"blocking-sender: slow_receiver.sock:"
                    + " gave up, nothing could be written for 0.200000 s; (\\d+) bytes had been accepted"
                    + " \\(exit status 3\\)\",\\1,\\1,false,.*"), () -> compare.out().toString());
            assertTrue(compare.out().get(2)
                    .startsWith("poll-sender,poll,1,\"poll-sender: slow_receiver.sock: gave up"));
            assertTrue(compare.err().stream().anyMatch(line -> line.contains("gave up, nothing could be written")));
            assertEquals(List.of(), files(kit));
        }
    }

    @Test
    void withoutInputOnlyTheSizeOfACommandIsKnown() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = compare(kit, "--interval", "0s", "--heartbeat", "0s", "--size", "64m", "--runs", "2",
                    "--read-size", "1m", "--sender", "blocking",
                    "--command", "socat=socat -u -b 1048576 OPEN:/dev/zero,readbytes=67108864 UNIX-CONNECT:{socket}");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            List<String> last = compare.out().stream().takeWhile(line -> !line.isEmpty()).reduce((a, b) -> b)
                    .map(line -> Arrays.asList(line.split("  +"))).orElseThrow();
            assertEquals(List.of("data intact", "yes", "size only"), last);
            String out = String.join(" ", compare.out());
            assertTrue(out.matches(".*Delivered per second, medians: (blocking-sender|socat) [\\d.]+ MiB,"
                    + " (blocking-sender|socat) [\\d.]+ MiB \\([01]\\.\\d\\d\\)\\..*"), out);
            assertFalse(out.contains("predict"), out);
            assertFalse(out.contains("heartbeat"), out);
        }
    }

    /** The sender is stopped while the receiver takes all there is, so its next write finds the whole buffer free. */
    @Test
    void deviationFromThePredictionIsNamed() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = compare(kit, "--interval", "20ms", "--sender", "poll");
            await(() -> eventsOf(kit, "sender").contains("\"total\":219264"));
            String connected = eventsOf(kit, "sender").lines().findFirst().orElseThrow();
            String sender = CompareFiguresTest.text(JsonParser.parseString(connected).getAsJsonObject(), "pid");
            kit.run("kill", "-STOP", sender).await();
            await(() -> eventsOf(kit, "receiver").contains("\"total\":219264"));
            kit.run("kill", "-CONT", sender).await();
            assertEquals(0, compare.await(), () -> compare.err().toString());
            String out = String.join(" ", compare.out());
            assertTrue(out.contains("Not as the kernel model predicts:"
                    + " write 2 of poll-sender took 219264 bytes, not 182720;"), out);
        }
    }

    private static String eventsOf(Kit kit, String side) {
        try (Stream<Path> files = Files.walk(kit.dir)) {
            Path file = files.filter(path -> path.endsWith("1/" + side + ".out")).findFirst().orElse(null);
            return file == null ? "" : Files.readString(file);
        } catch (IOException | UncheckedIOException e) {
            return ""; // a file went while it was listed
        }
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void stoppedCompareLeavesNothingAndPrintsWhatIsComplete(String signal, int status) throws Exception {
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve("a.json"), "old");
            Path child = kit.dir.resolve("child");
            Path orphan = kit.dir.resolve("orphan");
            Kit.Running compare = compare(kit, "--interval", "1ms", "--sender", "poll", "--export-json", "a.json",
                    "--command", "hangs=trap '' TERM; (sleep 100 & echo $! > " + orphan + ");"
                    + " echo $$ > " + child + "; sleep 100");
            await(() -> Files.exists(child)); // written after the other one, in one write
            assertTrue(isAlive(child) && isAlive(orphan));
            List<ProcessHandle> descendants = compare.process.descendants().toList();
            assertTrue(descendants.size() >= 4, descendants.toString());
            compare.signal(signal);
            assertEquals(status, compare.await());
            await(() -> descendants.stream().noneMatch(ProcessHandle::isAlive) && !isAlive(child) && !isAlive(orphan));
            assertEquals(List.of("a.json", "child", "orphan"), files(kit));
            assertEquals("old", Files.readString(kit.dir.resolve("a.json")));
            assertTrue(compare.out().get(0).strip().equals("poll-sender"), () -> compare.out().toString());
            assertTrue(compare.out().contains("Every byte arrived intact."), () -> compare.out().toString());
            assertEquals(3, compare.err().size(), () -> compare.err().toString());
        }
    }

    @Test
    void twoAtOnceDoNotDisturbEachOther() throws Exception {
        try (Kit kit = new Kit()) {
            String[] args = {"--interval", "20ms", "--sender", "poll", "--sender", "blocking"};
            Kit.Running one = compare(kit, args);
            Kit.Running other = compare(kit, args);
            assertEquals(0, one.await(), () -> one.err().toString());
            assertEquals(0, other.await(), () -> other.err().toString());
            assertTrue(one.out().contains("Every byte arrived intact."), () -> one.out().toString());
            assertTrue(other.out().contains("Every byte arrived intact."), () -> other.out().toString());
            assertEquals(List.of(), files(kit));
        }
    }
}
