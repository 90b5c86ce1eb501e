import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stalls of the faulty receiver: for good, for a while, again and again. */
class FaultyStallTest {
    @Test
    void stallReadsNoMoreAndStaysOpen() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = Faulty.receiver(kit, "--stall-after 30000 --connections 1");
            Kit.Running peer = Faulty.peer(kit);
            assertEquals("sent", Faulty.tell(peer, "send 30000"));
            receiver.awaitEvent("stall");
            assertEquals("sent", Faulty.tell(peer, "send 1000"));
            receiver.awaitUnread(1000);
            assertEquals("timeout", Faulty.tell(peer, "recv"));
            assertEquals("closed", Faulty.tell(peer, "close"));
            assertEquals(0, receiver.await());
            assertEquals(List.of(20480, 9520), Faulty.bytes(receiver, "received"));
            assertEquals("connected received received stall closed", Faulty.story(receiver));
            assertEquals("hangup", Faulty.end(receiver));
        }
    }

    @Test
    void stallForGoodEndsWithThePeerThatIsKilledEvenIfPollIsInterrupted() throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 1 << 20);
            List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq", "-o", "trace", "-e", "trace=poll",
                    "-e", "inject=poll:error=EINTR:when=1"));
            command.addAll(kit.command("faulty-receiver", "--socket", "s", "--stall-after", "0", "--connections", "1",
                    "--json"));
            Kit.Running receiver = kit.run(command.toArray(String[]::new));
            receiver.awaitEvent("listening");
            Kit.Running socat = Faulty.socat(kit);
            receiver.awaitEvent("stall");
            socat.signal("KILL");
            assertEquals(0, receiver.await());
            assertEquals("hangup", Faulty.end(receiver));
            assertTrue(Files.readString(kit.dir.resolve("trace")).contains("EINTR"));
        }
    }

    @Test
    void stallAndResume() throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 100_000);
            Kit.Running receiver = Faulty.receiver(kit, "--stall-after 50000 --resume-after 400ms --connections 1"
                    + " --output received");
            assertEquals(0, Faulty.socat(kit).await());
            assertEquals(0, receiver.await());
            assertEquals(List.of(50_000), Faulty.bytes(receiver, "stall"));
            assertEquals(List.of(50_000), Faulty.bytes(receiver, "resume"));
            assertTrue(Faulty.time(receiver, "resume") - Faulty.time(receiver, "stall") >= 0.4);
            assertEquals("eof", Faulty.end(receiver));
            assertEquals(-1, Files.mismatch(kit.dir.resolve("sent"), kit.dir.resolve("received")));
        }
    }

    /** Reads are cut so that each stall strikes at exactly its number, and never at 0. */
    @Test
    void stallAgainAfterEachSize() throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 100_000);
            Kit.Running receiver = Faulty.receiver(kit, "--stall-every 30000 --resume-after 50ms --connections 1"
                    + " --output received");
            assertEquals(0, Faulty.socat(kit).await());
            assertEquals(0, receiver.await());
            assertEquals(List.of(30_000, 60_000, 90_000), Faulty.bytes(receiver, "stall"));
            assertEquals(List.of(30_000, 60_000, 90_000), Faulty.bytes(receiver, "resume"));
            assertEquals(List.of(0.05, 0.05, 0.05), Faulty.seconds(receiver, "stall"));
            assertEquals(-1, Files.mismatch(kit.dir.resolve("sent"), kit.dir.resolve("received")));
        }
    }

    /** What is due at the last byte strikes before the end is found; a stall comes before the fault that ends. */
    @ParameterizedTest
    @CsvSource({"'', eof, stall resume closed", "--close-after 20000, close, stall resume close closed"})
    void stallAtTheLastByte(String more, String end, String last) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = Faulty.receiver(kit, "--stall-every 10000 --resume-after 10ms --connections 1 "
                    + more);
            try (SocketChannel writer = SocketChannel.open(UnixDomainSocketAddress.of(kit.dir.resolve("s")))) {
                assertEquals(20_000, writer.write(ByteBuffer.allocate(20_000)));
            }
            assertEquals(0, receiver.await());
            assertEquals("connected received stall resume received " + last, Faulty.story(receiver));
            assertEquals(end, Faulty.end(receiver));
        }
    }

    /** 60 reads, 20 ms apart, are 1.2 s. A stall is not before its multiple; those passed meanwhile are left out. */
    @ParameterizedTest
    @CsvSource({"300, 200, 3", "100, 250, 3"})
    void stallAgainInEachPeriod(int period, int stall, int least) throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 60 << 10);
            Kit.Running receiver = Faulty.receiver(kit, "--read-size 1k --interval 20ms --connections 1 --stall-period "
                    + period + "ms --resume-after " + stall + "ms");
            assertEquals(0, Faulty.socat(kit).await());
            assertEquals(0, receiver.await());
            String story = Faulty.story(receiver);
            String order = "connected( received)+( stall resume( received)+)+( stall resume)? closed";
            assertTrue(story.matches(order), story);
            List<Double> stalls = times(receiver, "stall");
            List<Double> resumes = times(receiver, "resume");
            assertTrue(stalls.size() >= least, stalls::toString);
            for (int i = 0; i < stalls.size(); i++) {
                double before = i == 0 ? 0 : resumes.get(i - 1);
                double early = 0.05; // of the event connected, after the accept
                assertTrue((int) ((stalls.get(i) + early) * 1000 / period) > (int) (before * 1000 / period),
                        stalls + " " + resumes);
            }
        }
    }

    /** Seconds since the event connected. */
    private static List<Double> times(Kit.Running receiver, String event) throws Exception {
        double connected = Faulty.time(receiver, "connected");
        return Kit.events(receiver, event).map(fields -> fields.get("time").getAsDouble() - connected).toList();
    }
}
