import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every byte arrives, in order and once, whatever the size, the source and the peer. */
class IntegrityTest {
    static List<String> senders() throws Exception {
        return Exemplars.senders();
    }

    private static final int MIB = 1 << 20;

    /** Runs the rest of its command line; the last line on standard error is the peak memory of it in KiB. */
    private static final String PEAK_MEMORY = """
            import resource, subprocess, sys
            status = subprocess.call(sys.argv[1:])
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
            sys.exit(status)
            """;

    @ParameterizedTest
    @MethodSource("senders")
    void bothSidesAgree(String sender) throws Exception {
        for (int size : List.of(1, MIB - 1, MIB, MIB + 1, 8 * MIB)) {
            transfer(sender, size);
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void fiveGibibytesNeedNoMoreMemoryThanOneMebibyte(String sender) throws Exception {
        long[] small = transfer(sender, MIB);
        long[] large = transfer(sender, 5L << 30);
        assertTrue(large[0] - small[0] < 30 << 10, "sender: " + small[0] + " KiB, then " + large[0] + " KiB");
        assertTrue(large[1] - small[1] < 30 << 10, "receiver: " + small[1] + " KiB, then " + large[1] + " KiB");
    }

    /** Peak memory of sender and receiver in KiB; faulty-receiver reads as slow-receiver does, and counts. */
    private static long[] transfer(String sender, long size) throws Exception {
        try (Kit kit = new Kit()) {
            List<String> receiverCommand = kit.command("faulty-receiver", "--interval", "0s", "--read-size", "1m",
                    "--connections", "1", "--json");
            List<String> senderCommand = Exemplars.command(kit, sender, "--size", Long.toString(size));
            Kit.Running receiver = kit.python(PEAK_MEMORY, receiverCommand.toArray(String[]::new));
            receiver.awaitOut(line -> line.contains("listening"));
            Kit.Running running = kit.python(PEAK_MEMORY, senderCommand.toArray(String[]::new));
            assertEquals(0, running.await(), () -> running.err().toString());
            assertEquals(0, receiver.await(), () -> receiver.err().toString());
            JsonObject closed = Kit.events(receiver, "closed").findFirst().orElseThrow();
            assertEquals(size, running.out().stream().mapToLong(line -> Long.parseLong(line.split(" ")[1])).sum());
            assertEquals(size, closed.get("bytes").getAsLong());
            assertEquals("eof", closed.get("end").getAsString());
            return new long[] {Long.parseLong(running.err().get(0)), Long.parseLong(receiver.err().get(0))};
        }
    }

    private static byte[] randomFile(Path file, int size) throws Exception {
        byte[] bytes = new byte[size];
        new Random(1).nextBytes(bytes);
        Files.write(file, bytes);
        return bytes;
    }

    static Stream<Arguments> sendersAndChunks() throws Exception {
        Map<String, String> chunks = Map.of("nonblocking-sender", "7", "poll-sender", "77777", "virtual-sender", "777");
        return senders().stream().map(sender -> Arguments.of(sender, chunks.getOrDefault(sender, "1m")));
    }

    @ParameterizedTest
    @MethodSource("sendersAndChunks")
    void fileArrivesAsItIs(String sender, String chunk) throws Exception {
        try (Kit kit = new Kit()) {
            byte[] sent = randomFile(kit.dir.resolve("sent"), chunk.equals("7") ? 20_000 : 3_000_001);
            Files.writeString(kit.dir.resolve("received"), "from an earlier run, and replaced");
            Kit.Running receiver = kit.faultyReceiver("--interval", "0s", "--connections", "1", "--output", "received");
            assertEquals("from an earlier run, and replaced", Files.readString(kit.dir.resolve("received")));
            assertEquals(0, Exemplars.start(kit, sender, "--input", "sent", "--chunk", chunk).await());
            assertEquals(0, receiver.await());
            assertTrue(Arrays.equals(sent, Files.readAllBytes(kit.dir.resolve("received"))));
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void pipeArrivesOnStandardOutput(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            byte[] sent = randomFile(kit.dir.resolve("sent"), 3_000_001);
            List<String> command = kit.command("faulty-receiver", "-t", "0s", "--connections", "1", "--output", "-");
            Kit.Running receiver = kit.run("sh", "-c", "'" + String.join("' '", command) + "' | cat > received");
            receiver.awaitErr(line -> line.contains("listening on"));
            Kit.Running running = Exemplars.start(kit, sender, "--input", "-");
            try (OutputStream pipe = running.process.getOutputStream()) {
                pipe.write(sent);
            }
            assertEquals(0, running.await());
            assertEquals(0, receiver.await());
            assertTrue(Arrays.equals(sent, Files.readAllBytes(kit.dir.resolve("received"))));
            assertEquals("connected", receiver.err().get(1));
            assertEquals("connection closed", receiver.err().get(receiver.err().size() - 1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"socat -u FILE:sent UNIX-CONNECT:slow_receiver.sock", "nc -N -U slow_receiver.sock < sent",
            "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"slow_receiver.sock\");"
                    + " s.sendall(open(\"sent\", \"rb\").read())'"})
    void receiverServesSendersThatAreNotOurs(String command) throws Exception {
        try (Kit kit = new Kit()) {
            byte[] sent = randomFile(kit.dir.resolve("sent"), 300_001);
            Kit.Running receiver = kit.receiver("--interval", "1ms", "--connections", "1");
            assertEquals(0, kit.run("sh", "-c", command).await());
            assertEquals(0, receiver.await());
            List<String> out = receiver.out();
            assertEquals("connected", out.get(0));
            assertEquals("received 20480 bytes...", out.get(1));
            assertEquals("connection closed", out.get(out.size() - 1));
            assertEquals(sent.length, out.subList(1, out.size() - 1).stream()
                    .mapToInt(line -> Integer.parseInt(line.replaceAll("received (\\d+) bytes\\.\\.\\.", "$1"))).sum());
        }
    }

    static Stream<Arguments> sendersAndPeers() throws Exception {
        return senders().stream().flatMap(sender -> Stream.of("socat", "nc", "python")
                .map(peer -> Arguments.of(sender, peer)));
    }

    @ParameterizedTest
    @MethodSource("sendersAndPeers")
    void sendersServeReceiversThatAreNotOurs(String sender, String peer) throws Exception {
        try (Kit kit = new Kit()) {
            byte[] sent = randomFile(kit.dir.resolve("sent"), 3_000_001);
            Kit.Running receiver = switch (peer) {
                case "socat" -> kit.run("socat", "-d", "-d", "-u", "UNIX-LISTEN:slow_receiver.sock", "CREATE:received");
                case "nc" -> kit.run("sh", "-c", "nc -v -l -U slow_receiver.sock > received < /dev/null");
                default -> kit.python("""
                            import socket, sys
                            s = socket.socket(socket.AF_UNIX)
                            s.bind('slow_receiver.sock')
                            s.listen(5)
                            print('listening', file=sys.stderr, flush=True)
                            c = s.accept()[0]
                            with open('received', 'wb') as f:
                                for data in iter(lambda: c.recv(20480), b''):
                                    f.write(data)
                            """);
            };
            receiver.awaitErr(line -> line.toLowerCase().contains("listening"));
            assertEquals(0, Exemplars.start(kit, sender, "--input", "sent").await());
            assertEquals(0, receiver.await());
            assertTrue(Arrays.equals(sent, Files.readAllBytes(kit.dir.resolve("received"))));
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void generatedBytesAreZeros(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.faultyReceiver("--interval", "0s", "--connections", "1", "--output", "received");
            assertEquals(0, Exemplars.start(kit, sender, "--size", "100000", "--chunk", "777").await());
            assertEquals(0, receiver.await());
            assertTrue(Arrays.equals(new byte[100_000], Files.readAllBytes(kit.dir.resolve("received"))));
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void emptyInputIsNoError(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver("--connections", "1");
            Kit.Running running = Exemplars.start(kit, sender, "--input", "/dev/null");
            assertEquals(0, running.await());
            assertEquals(List.of(), running.out());
            assertEquals(List.of(), running.err());
            assertEquals(0, receiver.await());
            assertEquals(List.of("connected", "connection closed"), receiver.out());
        }
    }

    @Test
    void receiverServesOneAfterTheOther() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver("--interval", "1ms", "--connections", "3", "--read-size", "1m");
            List<Kit.Running> senders = List.of(kit.script("blocking-sender", "-n", "100k"),
                    kit.script("nonblocking-sender", "-n", "100k"), kit.script("poll-sender", "-n", "100k"));
            for (Kit.Running sender : senders) {
                assertEquals(0, sender.await());
            }
            assertEquals(0, receiver.await());
            assertEquals(3, receiver.out().stream().filter("connected"::equals).count());
            assertEquals("connected", receiver.out().get(0));
            assertEquals(300 << 10, receiver.out().stream().filter(line -> line.startsWith("received"))
                    .mapToInt(line -> Integer.parseInt(line.split(" ")[1])).sum());
        }
    }
}
