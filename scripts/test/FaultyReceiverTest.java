import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Every fault of the faulty receiver but stalls and restarts, as socat, nc and Python see it. */
class FaultyReceiverTest {
    @Test
    void firstReadDelay() throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 1000);
            Kit.Running receiver = Faulty.receiver(kit, "--first-read-delay 300ms --connections 1 --output received");
            assertEquals(0, kit.run("sh", "-c", "nc -N -U s < sent").await());
            assertEquals(0, receiver.await());
            assertEquals("connected first_read_delay received closed", Faulty.story(receiver));
            assertEquals(List.of(0.3), Faulty.seconds(receiver, "first_read_delay"));
            assertTrue(Faulty.time(receiver, "received") - Faulty.time(receiver, "first_read_delay") >= 0.3);
            assertEquals(-1, Files.mismatch(kit.dir.resolve("sent"), kit.dir.resolve("received")));
        }
    }

    @Test
    void jitterIsTheSameForTheSameSeed() throws Exception {
        List<List<Double>> jitters = new ArrayList<>();
        for (String seed : List.of("5", "5", "6")) {
            try (Kit kit = new Kit()) {
                Faulty.file(kit, 200 << 10);
                Kit.Running receiver = Faulty.receiver(kit, "--jitter 20ms --seed " + seed + " --connections 1");
                assertEquals(0, Faulty.socat(kit).await());
                assertEquals(0, receiver.await());
                List<Double> jitter = Faulty.seconds(receiver, "jitter");
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
    void closeWithDataUnread() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = Faulty.receiver(kit, "--close-after 30000 --first-read-delay 300ms --connections 1");
            Kit.Running peer = Faulty.peer(kit);
            assertEquals("sent", Faulty.tell(peer, "send 40000"));
            receiver.awaitEvent("close");
            assertEquals("ECONNRESET", Faulty.tell(peer, "recv"));
            assertEquals("EPIPE", Faulty.tell(peer, "send 1"));
            assertEquals(0, receiver.await());
            assertEquals("connected first_read_delay received received close closed", Faulty.story(receiver));
            assertEquals(List.of(30_000), Faulty.bytes(receiver, "closed"));
            assertEquals("close", Faulty.end(receiver));
        }
    }

    @Test
    void closeBeforeTheFirstRead() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = Faulty.receiver(kit, "--close-after 0 --connections 1");
            Kit.Running peer = Faulty.peer(kit);
            receiver.awaitEvent("close");
            assertEquals("received 0", Faulty.tell(peer, "recv"));
            assertEquals("EPIPE", Faulty.tell(peer, "send 1"));
            assertEquals(0, receiver.await());
            assertEquals("connected close closed", Faulty.story(receiver));
        }
    }

    @Test
    void shutdownOfTheInputStaysOpen() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = Faulty.receiver(kit, "--shutdown-input-after 1000 --connections 1");
            Kit.Running peer = Faulty.peer(kit);
            assertEquals("sent", Faulty.tell(peer, "send 1000"));
            receiver.awaitEvent("shutdown_input");
            assertEquals("EPIPE", Faulty.tell(peer, "send 1"));
            assertEquals("timeout", Faulty.tell(peer, "recv"));
            assertTrue(receiver.process.isAlive());
            assertEquals("closed", Faulty.tell(peer, "close"));
            assertEquals(0, receiver.await());
            assertEquals("hangup", Faulty.end(receiver));
        }
    }

    @Test
    void neverAcceptLeavesPeersInTheBacklog() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = Faulty.receiver(kit, "--never-accept --backlog 3");
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
            assertEquals("", Faulty.story(receiver));
        }
    }

    @Test
    void echoToAPeerThatReadsWhileItWrites() throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 1 << 20);
            Kit.Running receiver = Faulty.receiver(kit, "--echo --connections 1");
            assertEquals(0, kit.run("sh", "-c", "socat -t 30 - UNIX-CONNECT:s < sent > back").await());
            assertEquals(0, receiver.await());
            assertEquals(-1, Files.mismatch(kit.dir.resolve("sent"), kit.dir.resolve("back")));
            assertEquals("eof", Faulty.end(receiver));
            assertEquals(Faulty.bytes(receiver, "received").size(), Faulty.bytes(receiver, "echo").size());
        }
    }

    /** The 25th echo does not fit; by then 5 buffers of 36544 bytes are read, and the peer has filled 6 + 5. */
    @Test
    void echoToAPeerThatDoesNotRead() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = Faulty.receiver(kit, "--echo --read-size 8k --interval 20ms --connections 1");
            Kit.Running peer = Faulty.peer(kit);
            assertEquals("timeout " + (1048576 - 11 * 36544), Faulty.tell(peer, "send 1048576"));
            peer.awaitUnread(24 * 8192);
            assertEquals("received 100000", Faulty.tell(peer, "recv"));
            assertEquals("closed", Faulty.tell(peer, "close"));
            assertEquals(0, receiver.await());
            assertEquals("reset", Faulty.end(receiver));
        }
    }

    @Test
    void connectionsAreServedInParallelOrOneAfterTheOther() throws Exception {
        for (int parallel : List.of(1, 3)) {
            try (Kit kit = new Kit()) {
                Kit.Running receiver = Faulty.receiver(kit, "--parallel " + parallel + " --connections 3");
                List<Kit.Running> peers = List.of(Faulty.peer(kit), Faulty.peer(kit), Faulty.peer(kit));
                if (parallel == 3) {
                    receiver.awaitOut(line -> line.contains("\"connected\",\"connection\":3,"));
                }
                for (Kit.Running peer : peers) {
                    assertEquals("closed", Faulty.tell(peer, "close"));
                }
                assertEquals(0, receiver.await());
                String serially = "connected closed connected closed connected closed";
                assertEquals(parallel == 1, Faulty.story(receiver).equals(serially), Faulty.story(receiver));
            }
        }
    }

    /** The check value of CRC-32C is that of the digits 1 to 9. */
    @Test
    void expectedChecksum() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running equal = Faulty.receiver(kit, "--connections 1 --expect-crc32c E3069283");
            assertEquals(0, kit.run("sh", "-c", "printf 123456789 | nc -N -U s").await());
            assertEquals(0, equal.await());

            Kit.Running different = Faulty.receiver(kit, "--connections 3 --expect-crc32c e3069283");
            for (String text : List.of("12345678", "123456789", "1234567890")) {
                assertEquals(0, kit.run("sh", "-c", "printf " + text + " | nc -N -U s").await());
            }
            assertEquals(1, different.await());
            assertEquals(List.of(8, 10), Faulty.bytes(different, "crc32c_differs"));
            assertEquals(List.of("faulty-receiver: s: 2 of 3 connections differ from --expect-crc32c e3069283"),
                    different.err());
        }
    }

    @Test
    void faultsCombine() throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 100_000);
            Kit.Running receiver = Faulty.receiver(kit, "--first-read-delay 10ms --jitter 1ms --read-size 10000 --echo"
                    + " --stall-after 15000 --resume-after 10ms --close-after 20000 --connections 1"
                    + " --expect-crc32c 00000000 --deadline 30s");
            Faulty.socat(kit).await();
            assertEquals(1, receiver.await());
            assertEquals("connected first_read_delay received echo jitter received echo jitter stall resume"
                    + " received echo jitter close closed crc32c_differs", Faulty.story(receiver));
            assertEquals(List.of(10_000, 5_000, 5_000), Faulty.bytes(receiver, "received"));
        }
    }

    @Test
    void twoHundredConnectionsAtOnceAreAllServed() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = Faulty.receiver(kit, "--parallel 200 --connections 200 --interval 1ms");
            Kit.Running peers = kit.python("""
                    import socket, sys, threading
                    go = threading.Event()
                    def send(n):
                        s = socket.socket(socket.AF_UNIX)
                        s.connect('s')
                        go.wait()
                        s.sendall(bytes(100000 + n))
                    for n in range(200):
                        threading.Thread(target=send, args=[n]).start()
                    sys.stdin.read()
                    go.set()
                    """);
            receiver.awaitOut(line -> line.contains("\"connected\",\"connection\":200,"));
            peers.process.getOutputStream().close();
            assertEquals(0, peers.await(), () -> peers.err().toString());
            assertEquals(0, receiver.await());
            assertEquals(IntStream.range(0, 200).map(n -> 100_000 + n).boxed().toList(),
                    Faulty.bytes(receiver, "closed").stream().sorted().toList());
            assertTrue(receiver.out().stream().filter(line -> line.contains("\"closed\""))
                    .allMatch(line -> line.endsWith("\"end\":\"eof\"}")));
        }
    }
}
