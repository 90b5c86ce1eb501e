import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every fault of the faulty receiver, as socat, nc and Python see it. */
class FaultyReceiverTest {
    /** Connects, and obeys one command a line: send N, recv, close; says what came of it. */
    private static final String PEER = """
            import errno, socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect('s')
            s.settimeout(1)
            print('connected', flush=True)
            for line in sys.stdin:
                try:
                    command = line.split()
                    if command[0] == 'send':
                        left = int(command[1])
                        while left:
                            left -= s.send(bytes(left))
                        print('sent', flush=True)
                    elif command[0] == 'recv':
                        print(f'received {len(s.recv(100000))}', flush=True)
                    elif command[0] == 'close':
                        s.close()
                        print('closed', flush=True)
                except TimeoutError:
                    print(f'timeout {left}' if command[0] == 'send' else 'timeout', flush=True)
                except OSError as e:
                    print(errno.errorcode[e.errno], flush=True)
            """;

    private static Kit.Running peer(Kit kit) throws Exception {
        Kit.Running peer = kit.python(PEER);
        peer.awaitOut("connected"::equals);
        return peer;
    }

    private static String tell(Kit.Running peer, String command) throws Exception {
        int before = peer.out().size();
        peer.process.getOutputStream().write((command + "\n").getBytes());
        peer.process.getOutputStream().flush();
        peer.awaitOut(line -> peer.out().size() > before);
        return peer.out().get(before);
    }

    private static Kit.Running receiver(Kit kit, String options) throws Exception {
        String pace = options.matches(".*--(interval|never-accept) .*") ? "" : "--interval 0s ";
        return kit.faultyReceiver(("--socket s --json " + pace + options).split(" +"));
    }

    private static Path file(Kit kit, int size) throws Exception {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Files.write(kit.dir.resolve("sent"), bytes);
    }

    private static Kit.Running socat(Kit kit) throws Exception {
        return kit.run("socat", "-u", "FILE:sent", "UNIX-CONNECT:s");
    }

    /** The names of the events from the first connection on. */
    private static String story(Kit.Running receiver) {
        return receiver.out().stream().map(line -> line.replaceAll(".*\"event\":\"(\\w+)\".*", "$1"))
                .dropWhile(event -> !event.equals("connected")).collect(Collectors.joining(" "));
    }

    private static List<Integer> bytes(Kit.Running receiver, String event) {
        return Kit.events(receiver, event).map(fields -> fields.get("bytes").getAsInt()).toList();
    }

    private static List<Double> seconds(Kit.Running receiver, String event) {
        return Kit.events(receiver, event).map(fields -> fields.get("seconds").getAsDouble()).toList();
    }

    private static double time(Kit.Running receiver, String event) throws Exception {
        return receiver.awaitEvent(event).get("time").getAsDouble();
    }

    private static String end(Kit.Running receiver) throws Exception {
        return receiver.awaitEvent("closed").get("end").getAsString();
    }

    // What each fault does

    @Test
    void firstReadDelay() throws Exception {
        try (Kit kit = new Kit()) {
            file(kit, 1000);
            Kit.Running receiver = receiver(kit, "--first-read-delay 300ms --connections 1 --output received");
            assertEquals(0, kit.run("sh", "-c", "nc -N -U s < sent").await());
            assertEquals(0, receiver.await());
            assertEquals("connected first_read_delay received closed", story(receiver));
            assertEquals(List.of(0.3), seconds(receiver, "first_read_delay"));
            assertTrue(time(receiver, "received") - time(receiver, "first_read_delay") >= 0.3);
            assertEquals(-1, Files.mismatch(kit.dir.resolve("sent"), kit.dir.resolve("received")));
        }
    }

    @Test
    void jitterIsTheSameForTheSameSeed() throws Exception {
        List<List<Double>> jitters = new ArrayList<>();
        for (String seed : List.of("5", "5", "6")) {
            try (Kit kit = new Kit()) {
                file(kit, 200 << 10);
                Kit.Running receiver = receiver(kit, "--jitter 20ms --seed " + seed + " --connections 1");
                assertEquals(0, socat(kit).await());
                assertEquals(0, receiver.await());
                List<Double> jitter = seconds(receiver, "jitter");
                assertTrue(jitter.stream().allMatch(pause -> pause > 0 && pause <= 0.02), jitter::toString);
                JsonObject closed = receiver.awaitEvent("closed");
                assertEquals(closed.get("reads").getAsInt(), jitter.size());
                double sum = jitter.stream().mapToDouble(pause -> pause).sum();
                assertTrue(closed.get("seconds").getAsDouble() >= sum, closed::toString);
                jitters.add(jitter.subList(0, 5));
            }
        }
        assertEquals(jitters.get(0), jitters.get(1));
        assertNotEquals(jitters.get(0), jitters.get(2));
    }

    @Test
    void stallReadsNoMoreAndStaysOpen() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = receiver(kit, "--stall-after 30000 --connections 1");
            Kit.Running peer = peer(kit);
            assertEquals("sent", tell(peer, "send 30000"));
            receiver.awaitEvent("stall");
            assertEquals("sent", tell(peer, "send 1000"));
            receiver.awaitUnread(1000);
            assertEquals("timeout", tell(peer, "recv"));
            assertEquals("closed", tell(peer, "close"));
            assertEquals(0, receiver.await());
            assertEquals(List.of(20480, 9520), bytes(receiver, "received"));
            assertEquals("connected received received stall closed", story(receiver));
            assertEquals("hangup", end(receiver));
        }
    }

    @Test
    void stallForGoodEndsWithThePeerThatIsKilledEvenIfPollIsInterrupted() throws Exception {
        try (Kit kit = new Kit()) {
            file(kit, 1 << 20);
            List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq", "-o", "trace", "-e", "trace=poll",
                    "-e", "inject=poll:error=EINTR:when=1"));
            command.addAll(kit.command("faulty-receiver", "--socket", "s", "--stall-after", "0", "--connections", "1",
                    "--json"));
            Kit.Running receiver = kit.run(command.toArray(String[]::new));
            receiver.awaitEvent("listening");
            Kit.Running socat = socat(kit);
            receiver.awaitEvent("stall");
            socat.signal("KILL");
            assertEquals(0, receiver.await());
            assertEquals("hangup", end(receiver));
            assertTrue(Files.readString(kit.dir.resolve("trace")).contains("EINTR"));
        }
    }

    @Test
    void stallAndResume() throws Exception {
        try (Kit kit = new Kit()) {
            file(kit, 100_000);
            Kit.Running receiver = receiver(kit, "--stall-after 50000 --resume-after 400ms --connections 1"
                    + " --output received");
            assertEquals(0, socat(kit).await());
            assertEquals(0, receiver.await());
            assertEquals(List.of(50_000), bytes(receiver, "stall"));
            assertEquals(List.of(50_000), bytes(receiver, "resume"));
            assertTrue(time(receiver, "resume") - time(receiver, "stall") >= 0.4);
            assertEquals("eof", end(receiver));
            assertEquals(-1, Files.mismatch(kit.dir.resolve("sent"), kit.dir.resolve("received")));
        }
    }

    @Test
    void closeWithDataUnread() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = receiver(kit, "--close-after 30000 --first-read-delay 300ms --connections 1");
            Kit.Running peer = peer(kit);
            assertEquals("sent", tell(peer, "send 40000"));
            receiver.awaitEvent("close");
            assertEquals("ECONNRESET", tell(peer, "recv"));
            assertEquals("EPIPE", tell(peer, "send 1"));
            assertEquals(0, receiver.await());
            assertEquals("connected first_read_delay received received close closed", story(receiver));
            assertEquals(List.of(30_000), bytes(receiver, "closed"));
            assertEquals("close", end(receiver));
        }
    }

    @Test
    void closeBeforeTheFirstRead() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = receiver(kit, "--close-after 0 --connections 1");
            Kit.Running peer = peer(kit);
            receiver.awaitEvent("close");
            assertEquals("received 0", tell(peer, "recv"));
            assertEquals("EPIPE", tell(peer, "send 1"));
            assertEquals(0, receiver.await());
            assertEquals("connected close closed", story(receiver));
        }
    }

    @Test
    void shutdownOfTheInputStaysOpen() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = receiver(kit, "--shutdown-input-after 1000 --connections 1");
            Kit.Running peer = peer(kit);
            assertEquals("sent", tell(peer, "send 1000"));
            receiver.awaitEvent("shutdown_input");
            assertEquals("EPIPE", tell(peer, "send 1"));
            assertEquals("timeout", tell(peer, "recv"));
            assertTrue(receiver.process.isAlive());
            assertEquals("closed", tell(peer, "close"));
            assertEquals(0, receiver.await());
            assertEquals("hangup", end(receiver));
        }
    }

    @Test
    void neverAcceptLeavesPeersInTheBacklog() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = receiver(kit, "--never-accept --backlog 3");
            Kit.Running peers = kit.python("""
                    import socket, sys
                    waiting = []
                    try:
                        while True:
                            s = socket.socket(socket.AF_UNIX)
                            s.setblocking(False)
                            s.connect('s')
                            waiting.append(s)
                    except BlockingIOError:
                        print(len(waiting), flush=True)
                    sys.stdin.read()
                    """);
            peers.awaitOut("4"::equals);
            assertEquals(3, receiver.awaitEvent("never_accept").get("backlog").getAsInt());
            assertEquals("", story(receiver));
        }
    }

    @Test
    void restartIsGoneAndThenBackOnTheSamePath() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = receiver(kit, "--restart-after 30000 --down 2s --parallel 3 --connections 4"
                    + " --mode 640");
            Kit.Running idle = peer(kit);
            Kit.Running peer = peer(kit);
            assertEquals("sent", tell(peer, "send 30000"));
            receiver.awaitEvent("restart");
            assertEquals("received 0", tell(idle, "recv"));
            assertEquals("EPIPE", tell(idle, "send 1"));
            assertEquals("EPIPE", tell(peer, "send 1"));
            Kit.Running next = kit.python("""
                    import socket
                    s = socket.socket(socket.AF_UNIX)
                    refused = 0
                    while True:
                        try:
                            s.connect('s')
                            break
                        except ConnectionRefusedError:
                            refused += 1
                        except FileNotFoundError:
                            pass # for a moment, as the stale file is replaced
                    print(refused > 0, flush=True)
                    s.sendall(bytes(50000))
                    """);
            assertEquals(0, next.await(), () -> next.err().toString());
            assertEquals(List.of("True"), next.out());
            assertEquals("rw-r-----",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(kit.dir.resolve("s"))));
            assertEquals("closed", tell(peer(kit), "close"));
            assertEquals(0, receiver.await());
            assertEquals(2, Kit.events(receiver, "listening").count());
            assertEquals(List.of(2.0), seconds(receiver, "restart"));
            double back = Kit.events(receiver, "listening").skip(1).findFirst().orElseThrow().get("time").getAsDouble();
            assertTrue(back - time(receiver, "restart") >= 1.99, "back too early");
            TreeMap<Integer, String> ends = new TreeMap<>();
            Kit.events(receiver, "closed").forEach(closed ->
                    ends.put(closed.get("connection").getAsInt(), closed.get("bytes") + " " + closed.get("end")));
            assertEquals("{1=0 'restart', 2=30000 'restart', 3=50000 'eof', 4=0 'eof'}",
                    ends.toString().replace('"', '\''));
        }
    }

    /** The first peer reads no echo, so the receiver waits in a write to it when it comes to restart. */
    @Test
    void restartEndsAConnectionThatIsBeingWrittenTo() throws Exception {
        try (Kit kit = new Kit()) {
            file(kit, 1 << 20);
            Kit.Running receiver = receiver(kit, "--restart-after 1m --down 0s --echo --parallel 2 --connections 3");
            Kit.Running blocked = peer(kit);
            assertTrue(tell(blocked, "send 1048576").startsWith("timeout"));
            kit.run("sh", "-c", "socat -t 30 - UNIX-CONNECT:s < sent > back").await();
            receiver.awaitOut(line -> line.contains("\"closed\",\"connection\":1,"));
            assertEquals("EPIPE", tell(blocked, "send 1"));
            assertEquals("closed", tell(peer(kit), "close"));
            assertEquals(0, receiver.await());
            assertEquals(List.of("restart", "restart", "eof"),
                    Kit.events(receiver, "closed").map(closed -> closed.get("end").getAsString()).toList());
        }
    }

    @Test
    void echoToAPeerThatReadsWhileItWrites() throws Exception {
        try (Kit kit = new Kit()) {
            file(kit, 1 << 20);
            Kit.Running receiver = receiver(kit, "--echo --connections 1");
            assertEquals(0, kit.run("sh", "-c", "socat -t 30 - UNIX-CONNECT:s < sent > back").await());
            assertEquals(0, receiver.await());
            assertEquals(-1, Files.mismatch(kit.dir.resolve("sent"), kit.dir.resolve("back")));
            assertEquals("eof", end(receiver));
            assertEquals(bytes(receiver, "received").size(), bytes(receiver, "echo").size());
        }
    }

    /** The 25th echo does not fit; by then 5 buffers of 36544 bytes are read, and the peer has filled 6 + 5. */
    @Test
    void echoToAPeerThatDoesNotRead() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = receiver(kit, "--echo --read-size 8k --interval 20ms --connections 1");
            Kit.Running peer = peer(kit);
            assertEquals("timeout " + (1048576 - 11 * 36544), tell(peer, "send 1048576"));
            peer.awaitUnread(24 * 8192);
            assertEquals("received 100000", tell(peer, "recv"));
            assertEquals("closed", tell(peer, "close"));
            assertEquals(0, receiver.await());
            assertEquals("reset", end(receiver));
        }
    }

    @Test
    void connectionsAreServedInParallelOrOneAfterTheOther() throws Exception {
        for (int parallel : List.of(1, 3)) {
            try (Kit kit = new Kit()) {
                Kit.Running receiver = receiver(kit, "--parallel " + parallel + " --connections 3");
                List<Kit.Running> peers = List.of(peer(kit), peer(kit), peer(kit));
                if (parallel == 3) {
                    receiver.awaitOut(line -> line.contains("\"connected\",\"connection\":3,"));
                }
                for (Kit.Running peer : peers) {
                    assertEquals("closed", tell(peer, "close"));
                }
                assertEquals(0, receiver.await());
                String serially = "connected closed connected closed connected closed";
                assertEquals(parallel == 1, story(receiver).equals(serially), story(receiver));
            }
        }
    }

    /** The check value of CRC-32C is that of the digits 1 to 9. */
    @Test
    void expectedChecksum() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running equal = receiver(kit, "--connections 1 --expect-crc32c E3069283");
            assertEquals(0, kit.run("sh", "-c", "printf 123456789 | nc -N -U s").await());
            assertEquals(0, equal.await());

            Kit.Running different = receiver(kit, "--connections 3 --expect-crc32c e3069283");
            for (String text : List.of("12345678", "123456789", "1234567890")) {
                assertEquals(0, kit.run("sh", "-c", "printf " + text + " | nc -N -U s").await());
            }
            assertEquals(1, different.await());
            assertEquals(List.of(8, 10), bytes(different, "crc32c_differs"));
            assertEquals(List.of("faulty-receiver: s: 2 of 3 connections differ from --expect-crc32c e3069283"),
                    different.err());
        }
    }

    @Test
    void faultsCombine() throws Exception {
        try (Kit kit = new Kit()) {
            file(kit, 100_000);
            Kit.Running receiver = receiver(kit, "--first-read-delay 10ms --jitter 1ms --read-size 10000 --echo"
                    + " --stall-after 15000 --resume-after 10ms --close-after 20000 --connections 1"
                    + " --expect-crc32c 00000000 --deadline 30s");
            socat(kit).await();
            assertEquals(1, receiver.await());
            assertEquals("connected first_read_delay received echo jitter received echo jitter stall resume"
                    + " received echo jitter close closed crc32c_differs", story(receiver));
            assertEquals(List.of(10_000, 5_000, 5_000), bytes(receiver, "received"));
        }
    }

    // What a test suite relies on

    @Test
    void withoutJsonTheTextIsTheSlowReceiversAndFaultsAreOnStandardError() throws Exception {
        try (Kit kit = new Kit()) {
            file(kit, 100_000);
            Kit.Running receiver = kit.faultyReceiver("-s", "s", "-t", "0s", "--stall-after", "20k",
                    "--resume-after", "10ms", "--close-after", "40k", "--connections", "1");
            socat(kit).await();
            assertEquals(0, receiver.await());
            assertEquals(List.of("connected", "received 20480 bytes...", "received 20480 bytes...",
                    "connection closed"), receiver.out());
            assertEquals(List.of("faulty-receiver: listening on s",
                    "faulty-receiver: stall: connection 1, bytes 20480, seconds 0.010000",
                    "faulty-receiver: resume: connection 1, bytes 20480",
                    "faulty-receiver: close: connection 1, bytes 40960"), receiver.err());
        }
    }

    /** The peer starts the receiver itself, to connect as soon as it may. */
    @ParameterizedTest
    @ValueSource(strings = {"--connections=1", "--never-accept"})
    void whoeverConnectsOnceItListensIsNotRefused(String option) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running peer = kit.python("""
                    import socket, subprocess, sys
                    receiver = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
                    for line in receiver.stdout:
                        if 'listening' in line:
                            s = socket.socket(socket.AF_UNIX)
                            s.setblocking(False)
                            s.connect('s')
                            print('connected', flush=True)
                            break
                    receiver.kill()
                    """, kit.command("faulty-receiver", "-s", "s", "--json", option).toArray(String[]::new));
            assertEquals(0, peer.await(), () -> peer.err().toString());
            assertEquals(List.of("connected"), peer.out());
        }
    }

    /** What it may be waiting for, with a peer that sends 1 MiB and then does nothing more. */
    private static final List<List<String>> WAITS = List.of(
            List.of("--interval", "0s"), // for more bytes
            List.of("--interval", "1m"),
            List.of("--stall-after", "0"),
            List.of("--stall-after", "0", "--resume-after", "1m"),
            List.of("--restart-after", "0", "--down", "1m"),
            List.of("--interval", "0s", "--echo"),
            List.of("--interval", "0s", "--parallel", "2"),
            List.of("--never-accept"));

    private static List<Kit.Running> waiting(Kit kit, String... more) throws Exception {
        List<Kit.Running> receivers = new ArrayList<>();
        for (List<String> wait : WAITS) {
            List<String> args = new ArrayList<>(List.of("--socket", "s" + receivers.size(), "--json"));
            args.addAll(List.of(more));
            args.addAll(wait);
            receivers.add(kit.script("faulty-receiver", args.toArray(String[]::new)));
        }
        for (Kit.Running receiver : receivers) {
            receiver.awaitEvent("listening");
        }
        kit.python("""
                import socket, sys
                peers = []
                for n in range(int(sys.argv[1])):
                    s = socket.socket(socket.AF_UNIX)
                    s.connect(f's{n}')
                    s.setblocking(False)
                    try:
                        s.send(bytes(1 << 20))
                    except BrokenPipeError:
                        pass
                    peers.append(s)
                print('sent', flush=True)
                sys.stdin.read()
                """, Integer.toString(WAITS.size())).awaitOut("sent"::equals);
        return receivers;
    }

    @Test
    void deadlineEndsEveryWait() throws Exception {
        try (Kit kit = new Kit()) {
            List<Kit.Running> receivers = waiting(kit, "--deadline", "8s");
            for (int i = 0; i < receivers.size(); i++) {
                Kit.Running receiver = receivers.get(i);
                assertEquals(3, receiver.await(), WAITS.get(i)::toString);
                assertEquals(List.of("faulty-receiver: s" + i + ": not done 8.000000 s after listening (--deadline)"),
                        receiver.err());
                assertEquals(List.of(8.0), seconds(receiver, "deadline"));
                assertFalse(Files.exists(kit.dir.resolve("s" + i)));
            }
        }
    }

    @Test
    void signalEndsEveryWait() throws Exception {
        try (Kit kit = new Kit()) {
            List<Kit.Running> receivers = waiting(kit);
            for (int i = 0; i < receivers.size(); i++) {
                receivers.get(i).signal(i % 2 == 0 ? "TERM" : "INT");
            }
            for (int i = 0; i < receivers.size(); i++) {
                assertEquals(i % 2 == 0 ? 143 : 130, receivers.get(i).await(), WAITS.get(i)::toString);
                assertEquals(List.of(), receivers.get(i).err());
                assertFalse(Files.exists(kit.dir.resolve("s" + i)), WAITS.get(i)::toString);
            }
        }
    }

    @Test
    void senselessOptionsAreRefused() throws Exception {
        String end = "one fault can end a connection: --stall-after without --resume-after, --close-after,"
                + " --shutdown-input-after or --restart-after";
        Map<String, String> problems = Map.ofEntries(
                Map.entry("--resume-after 1s", "--resume-after needs --stall-after"),
                Map.entry("--seed 1", "--seed needs --jitter"),
                Map.entry("--down 1s", "--down needs --restart-after"),
                Map.entry("--restart-after 1 --connections 1",
                        "--restart-after needs --connections of 2 or more, or 0, to come back for"),
                Map.entry("--parallel 2 --output x",
                        "--parallel does not go with --output, which would mix the connections"),
                Map.entry("--parallel 0", "--parallel must be at least 1"),
                Map.entry("--backlog 0", "--backlog must be at least 1"),
                Map.entry("--connections -1", "--connections must not be negative"),
                Map.entry("--never-accept --echo", "--echo does not go with --never-accept"),
                Map.entry("--connections 1 --never-accept", "--connections does not go with --never-accept"),
                Map.entry("--stall-after 1k --close-after 2k", end),
                Map.entry("--close-after 1k --shutdown-input-after 1k", end),
                Map.entry("--restart-after 1k --close-after 2k", end),
                Map.entry("--stall-after 1k --restart-after 1k", end),
                Map.entry("--stall-after 2k --resume-after 1s --close-after 1k",
                        "--stall-after is never reached, as the connection ends before"),
                Map.entry("--expect-crc32c 123", "Invalid value for option '--expect-crc32c':"
                        + " '123' is not 8 hexadecimal digits such as dc3e0071"),
                Map.entry("--stall-after 1x",
                        "Invalid value for option '--stall-after': '1x' is not a size such as 4096, 20k, 1m or 5g"),
                Map.entry("--down 5 --restart-after 1",
                        "Invalid value for option '--down': '5' is not a duration such as 100ms, 1s, 1.5s or 2m"),
                Map.entry("--nonsense", "Unknown option: '--nonsense'"));
        try (Kit kit = new Kit()) {
            Map<String, Kit.Running> receivers = new TreeMap<>();
            for (String options : problems.keySet()) {
                receivers.put(options, kit.script("faulty-receiver", options.split(" ")));
            }
            for (String options : problems.keySet()) {
                Kit.Running receiver = receivers.get(options);
                assertEquals(2, receiver.await(), options);
                assertEquals(List.of("faulty-receiver: " + problems.get(options) + " (see --help)"), receiver.err());
                assertEquals(List.of(), receiver.out());
            }
            assertEquals(0, kit.dir.toFile().list().length);
        }
    }
}
