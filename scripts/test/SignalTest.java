import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Signals: they end a sender at once or only interrupt it, and nothing that was accepted is lost. */
class SignalTest {
    static List<String> senders() throws Exception {
        return Exemplars.senders();
    }

    static Stream<Arguments> sendersAndSignals() throws Exception {
        return senders().stream().flatMap(sender -> Stream.of(Arguments.of(sender, "TERM", 143),
                Arguments.of(sender, "INT", 130)));
    }

    @ParameterizedTest
    @MethodSource("sendersAndSignals")
    void signalEndsASenderAtOnce(String script, String signal, int status) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = PeerTest.puppet(kit);
            Kit.Running sender = Exemplars.start(kit, script);
            puppet.awaitUnread(PeerTest.FULL);
            endsAtOnce(sender, signal, status);
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void signalEndsASenderThatWaitsForItsInput(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = PeerTest.puppet(kit);
            Kit.Running sender = Exemplars.start(kit, script, "--input", "-");
            puppet.awaitOut("accepted"::equals);
            endsAtOnce(sender, "TERM", 143);
        }
    }

    private static void endsAtOnce(Kit.Running sender, String signal, int status) throws Exception {
        long since = System.nanoTime();
        sender.signal(signal);
        assertEquals(status, sender.await());
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        assertEquals(List.of(), sender.err());
        assertTrue(millis < 1000, millis + " ms");
    }

    @ParameterizedTest
    @MethodSource("senders")
    void killedSenderLosesNothingThatWasAccepted(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.faultyReceiver("--interval", "10ms", "--connections", "2", "--json");
            Kit.Running killed = Exemplars.start(kit, script, "--size", "1g");
            receiver.awaitOut(line -> line.contains("\"total\":1024000}"));
            killed.signal("KILL");
            killed.await();
            receiver.awaitOut(line -> line.contains("\"closed\""));
            long accepted = killed.out().stream().mapToLong(line -> Long.parseLong(line.split(" ")[1])).sum();
            long delivered = Kit.events(receiver, "closed").findFirst().orElseThrow().get("bytes").getAsLong();
            if (script.equals("blocking-sender")) {
                assertTrue(delivered > accepted, delivered + " delivered, " + accepted + " accepted");
            } else {
                long unprinted = delivered - accepted; // a write may return just before the kill
                assertTrue(unprinted >= 0 && unprinted <= 219264, delivered + " delivered, " + accepted + " accepted");
            }
            assertEquals(0, Exemplars.start(kit, script, "--size", "1000").await());
            assertEquals(0, receiver.await());
            List<Long> closed = Kit.events(receiver, "closed").map(event -> event.get("bytes").getAsLong()).toList();
            assertEquals(List.of(delivered, 1000L), closed);
        }
    }

    /** A receiver that stores what comes, and 1 MiB that tell their position to be sent. */
    private static Kit.Running patternReceiver(Kit kit, String interval) throws Exception {
        byte[] pattern = new byte[1 << 20];
        for (int p = 0; p < pattern.length; p++) {
            pattern[p] = (byte) (p % 251);
        }
        Files.write(kit.dir.resolve("sent"), pattern);
        return kit.faultyReceiver("--interval", interval, "--connections", "1", "--json", "--output", "received");
    }

    @ParameterizedTest
    @MethodSource("senders")
    void stoppedAndContinuedProcessesLoseNothing(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = patternReceiver(kit, "20ms");
            Kit.Running sender = Exemplars.start(kit, script, "--input", "sent");
            for (int total = 204800; total < 1_000_000; total += 204800) {
                String reached = "\"total\":" + total + "}";
                receiver.awaitOut(line -> line.endsWith(reached));
                for (Kit.Running process : List.of(sender, receiver)) {
                    process.signal("STOP");
                    TimeUnit.MILLISECONDS.sleep(50);
                    process.signal("CONT");
                }
            }
            assertEquals(0, sender.await());
            assertEquals(0, receiver.await());
            assertArrayEquals(Files.readAllBytes(kit.dir.resolve("sent")),
                    Files.readAllBytes(kit.dir.resolve("received")));
        }
    }

    @ParameterizedTest
    @CsvSource({"poll-sender, poll:error=EINTR:when=2+2", "poll-sender, sendto:error=EINTR:when=2+2",
        "blocking-sender, sendto:error=EINTR:when=1", "nonblocking-sender, sendto:error=EINTR:when=2+2"})
    void interruptedSystemCallsLoseNothing(String script, String injection) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = patternReceiver(kit, "10ms");
            List<String> command = kit.command(script, "--input", "sent");
            command.addAll(0, List.of("strace", "-f", "-qq", "-o", "trace", "-e", "trace=poll,sendto",
                    "-e", "inject=" + injection));
            Kit.Running sender = kit.run(command.toArray(String[]::new));
            assertEquals(0, sender.await(), () -> sender.err().toString());
            assertEquals(0, receiver.await());
            assertTrue(Files.readString(kit.dir.resolve("trace")).contains("EINTR"));
            assertArrayEquals(Files.readAllBytes(kit.dir.resolve("sent")),
                    Files.readAllBytes(kit.dir.resolve("received")));
        }
    }
}
