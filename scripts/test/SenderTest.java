import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
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
    /** Listens and never accepts. */
    private static final String DEAF = """
            import socket, time
            s = socket.socket(socket.AF_UNIX)
            s.bind('slow_receiver.sock')
            s.listen(5)
            print('listening', flush=True)
            time.sleep(60)
            """;

    private static List<Integer> writesOf(String sender, String... args) throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver("--interval", "50ms"); // longer than a sender on a busy machine takes between two writes
            Kit.Running running = Exemplars.start(kit, sender, args);
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
        if (Exemplars.seedsKernel()) {
            List<Integer> seed = new ArrayList<>(List.of(219264));
            seed.addAll(Collections.nCopies(22, 36544));
            seed.add(25344);
            assertEquals(seed, writes);
        }
    }

    static List<String> sleepers() throws Exception {
        return Exemplars.patientSenders().stream().filter(sender -> !sender.equals("nonblocking-sender")).toList();
    }

    @ParameterizedTest
    @MethodSource("sleepers")
    void pollAndVirtualWriteWhenThreeQuartersAreFree(String sender) throws Exception {
        List<Integer> writes = writesOf(sender);
        assertEquals(1048576, writes.stream().mapToInt(n -> n).sum());
        if (Exemplars.seedsKernel()) {
            assertEquals(List.of(219264, 182720, 182720, 182720, 182720, 98432), writes);
        } else {
            assertTrue(writes.size() < writesOf("nonblocking-sender").size());
        }
    }

    /** The writes before the first read of the rows of kernel-patterns.tsv; the later ones race with a real reader. */
    static Stream<List<String>> recordedRuns() throws IOException {
        try (BufferedReader table = new BufferedReader(new InputStreamReader(
                SenderTest.class.getResourceAsStream("/kernel-patterns.tsv"), StandardCharsets.US_ASCII))) {
            return table.lines().skip(1).map(row -> {
                String[] cells = row.split("\t");
                String first = Arrays.stream(cells[7].split(" ")).filter(write -> write.startsWith("0:"))
                        .collect(Collectors.joining(" "));
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
        List<String> args = new ArrayList<>(List.of("--size", run.get(3), "--chunk", run.get(4), "--give-up", "300ms"));
        if (!run.get(1).equals("default")) {
            args.addAll(List.of("--sndbuf", run.get(1)));
        }
        try (Kit kit = new Kit()) {
            kit.python(DEAF).awaitOut("listening"::equals);
            Kit.Running sender = kit.script(run.get(0) + "-sender", args.toArray(String[]::new));
            boolean fits = expected.stream().mapToInt(n -> n).sum() == Integer.parseInt(run.get(3));
            assertEquals(fits ? 0 : 3, sender.await());
            assertEquals(expected, writes(sender));
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
            String thread = trace.stream().filter(call -> call.contains("sendto(")).findFirst().orElseThrow()
                    .split(" ")[0];
            List<String> calls = trace.stream()
                    .filter(call -> call.startsWith(thread + " ") && !call.contains("resumed>"))
                    .map(call -> call.substring(call.indexOf(' ') + 1, call.indexOf('(')).strip())
                    .filter(call -> !call.equals("futex")).toList();
            calls = calls.subList(calls.indexOf("poll"), calls.lastIndexOf("sendto") + 2);
            int writes = Exemplars.seedsKernel() ? 6 : calls.size() / 3;
            List<String> seed = new ArrayList<>();
            for (int i = 0; i < writes; i++) {
                seed.addAll(List.of("poll", "sendto", "write"));
            }
            assertEquals(seed, calls);
        }
    }

    /** junixsocket's write allocates two method references of 16 bytes unless they are compiled away; the loop none. */
    @Test
    void refusedWritesAllocateNothing() throws Exception {
        try (Kit kit = new Kit()) {
            kit.python(DEAF).awaitOut("listening"::equals);
            Path socket = kit.dir.resolve("slow_receiver.sock");
            ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
            try (AFUNIXSocketChannel channel = AFUNIXSocketChannel.open(AFUNIXSocketAddress.of(socket))) {
                Allocations ofTheLoop = new Allocations();
                assertThrows(CancellationException.class, () -> NonblockingSender.send(channel, () -> buffer, n -> { },
                        ofTheLoop));
                Allocations ofTheLibrary = new Allocations();
                assertThrows(CancellationException.class, () -> {
                    while (true) {
                        channel.write(buffer);
                        ofTheLibrary.getAsLong();
                    }
                });
                assertEquals(ofTheLibrary.bytes, ofTheLoop.bytes);
                assertTrue(ofTheLibrary.bytes <= 32 * TRIES, () -> ofTheLibrary.bytes + " bytes");
            }
        }
    }

    private static final int TRIES = 10_000;

    /** Other work that counts what its thread allocates in 10,000 tries, when all is compiled, and then ends it. */
    private static final class Allocations implements LongSupplier {
        private final com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        private long bytes;
        private int tries = -2 * TRIES;

        @Override
        public long getAsLong() {
            if (tries == 0) {
                bytes = threads.getCurrentThreadAllocatedBytes();
            } else if (tries == TRIES) {
                bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
                throw new CancellationException();
            }
            tries++;
            return 0;
        }
    }
}
