import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;

/** What each sender writes, and what it costs: the figures of the seed and of the runs recorded from the kernel. */
@Isolated("exact patterns and CPU time want the machine for themselves")
class SenderTest {
    /** The default buffer is the one that the figures of the seed belong to. */
    private static boolean seedsKernel() throws IOException, InterruptedException {
        String buffer = Files.readAllLines(Path.of("/proc/sys/net/core/wmem_default")).get(0);
        Process getconf = new ProcessBuilder("getconf", "PAGESIZE").start();
        String page = new String(getconf.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        if (!buffer.equals("212992") || !page.equals("4096")) {
            System.out.println("  buffer " + buffer + ", page size " + page + ": the shape is tested, not the seed's figures");
            return false;
        }
        return true;
    }

    private static List<Integer> writesOf(String sender, String... args) throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver("--interval", "10ms");
            Kit.Running running = kit.script(sender, args);
            assertEquals(0, running.await(), () -> running.err().toString());
            return writes(running);
        }
    }

    private static List<Integer> writes(Kit.Running sender) {
        return sender.out().stream().map(line -> {
            assertTrue(line.matches("wrote \\d+ bytes"), line);
            return Integer.parseInt(line.split(" ")[1]);
        }).toList();
    }

    @Test
    void blockingWritesOnce() throws Exception {
        assertEquals(List.of(1048576), writesOf("blocking-sender"));
    }

    @Test
    void nonblockingWritesWhateverIsFree() throws Exception {
        List<Integer> writes = writesOf("nonblocking-sender");
        assertEquals(1048576, writes.stream().mapToInt(n -> n).sum());
        if (seedsKernel()) {
            List<Integer> seed = new ArrayList<>(List.of(219264));
            seed.addAll(Collections.nCopies(22, 36544));
            seed.add(25344);
            assertEquals(seed, writes);
        }
    }

    @Test
    void pollWritesWhenThreeQuartersAreFree() throws Exception {
        List<Integer> writes = writesOf("poll-sender");
        assertEquals(1048576, writes.stream().mapToInt(n -> n).sum());
        if (seedsKernel()) {
            assertEquals(List.of(219264, 182720, 182720, 182720, 182720, 98432), writes);
        } else {
            assertTrue(writes.size() < writesOf("nonblocking-sender").size());
        }
    }

    /** Every kernel-patterns.tsv row's writes before the first read; the later ones race with a real reader. */
    static Stream<List<String>> recordedRuns() throws IOException {
        try (BufferedReader table = new BufferedReader(new InputStreamReader(
                SenderTest.class.getResourceAsStream("/kernel-patterns.tsv"), StandardCharsets.US_ASCII))) {
            return table.lines().skip(1).map(row -> {
                String[] cells = row.split("\t");
                String first = String.join(" ", Arrays.stream(cells[7].split(" ")).filter(w -> w.startsWith("0:")).toList());
                return List.of(cells[0], cells[1], cells[2], cells[3], cells[4], first);
            }).distinct().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("recordedRuns")
    void firstWritesAreThoseRecorded(List<String> run) throws Exception {
        List<Integer> expected = new ArrayList<>();
        for (String write : run.get(5).split(" ")) {
            String[] sizeAndCount = write.substring(2).split("x");
            int count = sizeAndCount.length == 1 ? 1 : Integer.parseInt(sizeAndCount[1]);
            expected.addAll(Collections.nCopies(count, Integer.parseInt(sizeAndCount[0])));
        }
        List<String> args = new ArrayList<>(List.of("--size", run.get(3), "--chunk", run.get(4), "--give-up", "300ms", "--json"));
        if (!run.get(1).equals("default")) {
            args.addAll(List.of("--sndbuf", run.get(1)));
        }
        try (Kit kit = new Kit()) {
            kit.python("""
                    import socket, time
                    s = socket.socket(socket.AF_UNIX)
                    s.bind('slow_receiver.sock')
                    s.listen(5)
                    print('listening', flush=True)
                    time.sleep(60)
                    """).awaitOut("listening"::equals);
            Kit.Running sender = kit.script(run.get(0) + "-sender", args.toArray(String[]::new));
            boolean fits = expected.stream().mapToInt(n -> n).sum() == Integer.parseInt(run.get(3));
            assertEquals(fits ? 0 : 3, sender.await());
            assertEquals(expected, Kit.events(sender, "wrote").map(e -> e.get("bytes").getAsInt()).toList());
            assertEquals(run.get(2), Kit.events(sender, "connected").findFirst().orElseThrow().get("sndbuf").getAsString());
        }
    }

    /** The C example polls once before each send; the JVM adds nothing but futex calls, to wake its compiler. */
    @Test
    void pollSenderMakesTheSystemCallsOfTheSeed() throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver("--interval", "10ms");
            List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq", "-o", "trace", "-e", "signal=none"));
            command.addAll(kit.command("poll-sender"));
            assertEquals(0, kit.run(command.toArray(String[]::new)).await());
            List<String> trace = Files.readAllLines(kit.dir.resolve("trace"));
            String thread = trace.stream().filter(call -> call.contains("sendto(")).findFirst().orElseThrow().split(" ")[0];
            List<String> calls = trace.stream().filter(call -> call.startsWith(thread + " ") && !call.contains("resumed>"))
                    .map(call -> call.substring(call.indexOf(' ') + 1, call.indexOf('(')).strip())
                    .filter(call -> !call.equals("futex")).toList();
            calls = calls.subList(calls.indexOf("poll"), calls.lastIndexOf("sendto") + 2);
            int writes = seedsKernel() ? 6 : calls.size() / 3;
            List<String> seed = new ArrayList<>();
            for (int i = 0; i < writes; i++) {
                seed.addAll(List.of("poll", "sendto", "write"));
            }
            assertEquals(seed, calls);
        }
    }

    /** junixsocket's write allocates two method references of 16 bytes unless they are compiled away; the loop nothing. */
    @Test
    void refusedWritesAllocateNothing() throws Exception {
        try (Kit kit = new Kit()) {
            kit.python("""
                    import socket, time
                    s = socket.socket(socket.AF_UNIX)
                    s.bind('slow_receiver.sock')
                    s.listen(5)
                    print('listening', flush=True)
                    time.sleep(60)
                    """).awaitOut("listening"::equals);
            NonblockingSender sender = new NonblockingSender();
            sender.socket = kit.dir.resolve("slow_receiver.sock");
            sender.chunk = 1 << 20;
            NonblockingSender.Transfer transfer = sender.new Transfer();
            transfer.open();
            try (AFUNIXSocketChannel channel = AFUNIXSocketChannel.open(AFUNIXSocketAddress.of(sender.socket))) {
                channel.configureBlocking(false);
                transfer.fill();
                while (channel.write(transfer.buffer) > 0) {
                    continue;
                }
                long ofTheLibrary = allocatedBy(() -> channel.write(transfer.buffer));
                long ofTheLoop = allocatedBy(() -> {
                    transfer.fill();
                    transfer.wrote(channel.write(transfer.buffer));
                    return 0;
                });
                assertEquals(ofTheLibrary, ofTheLoop);
                assertTrue(ofTheLibrary <= 32 * TRIES, () -> ofTheLibrary + " bytes in " + TRIES + " tries");
            }
        }
    }

    private static final int TRIES = 10_000;

    private static long allocatedBy(Callable<Integer> attempt) throws Exception {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = 0;
        for (int i = -2 * TRIES; i < TRIES; i++) {
            if (i == 0) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            attempt.call();
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void heartbeatShowsWhatIsLeftForOtherWork() throws Exception {
        JsonObject blocking = heartbeatOf("blocking-sender");
        assertTrue(blocking.get("beats_due").getAsInt() >= 40, blocking::toString);
        assertTrue(blocking.get("beats_run").getAsInt() <= 2, blocking::toString);

        JsonObject nonblocking = heartbeatOf("nonblocking-sender");
        assertEquals(nonblocking.get("beats_due"), nonblocking.get("beats_run"), nonblocking::toString);
        assertTrue(cpu(nonblocking) > 0.8 * nonblocking.get("seconds").getAsDouble(), nonblocking::toString);

        JsonObject poll = heartbeatOf("poll-sender");
        assertEquals(poll.get("beats_due"), poll.get("beats_run"), poll::toString);
        assertTrue(poll.get("beat_worst").getAsDouble() < 0.1, poll::toString);
        assertTrue(cpu(poll) < 0.05 * poll.get("seconds").getAsDouble(), poll::toString);
    }

    private static JsonObject heartbeatOf(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver("--interval", "110ms");
            Kit.Running running = kit.script(sender, "--heartbeat", "100ms", "--json");
            assertEquals(0, running.await());
            JsonObject done = Kit.events(running, "done").findFirst().orElseThrow();
            assertEquals(done.get("beats_run").getAsLong(), Kit.events(running, "beat").count());
            return done;
        }
    }

    private static double cpu(JsonObject done) {
        return done.get("user").getAsDouble() + done.get("system").getAsDouble();
    }
}
