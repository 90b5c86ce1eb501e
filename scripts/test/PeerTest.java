import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that go, stop, come late or never read: no sender hangs, and none claims more than was accepted. */
class PeerTest {
    /** What the kernel holds at most: default send buffer, 4 KiB pages (kernel-patterns.tsv). */
    private static final int FULL = 219264;

    /** Accepts one connection, obeys one command a line: read N, close, shutdown, and says what it did. */
    private static final String PUPPET = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.bind('slow_receiver.sock')
            s.listen(5)
            print('listening', flush=True)
            c = s.accept()[0]
            print('accepted', flush=True)
            for line in sys.stdin:
                command = line.split()
                if command[0] == 'read':
                    left = int(command[1])
                    while left:
                        left -= len(c.recv(left))
                elif command[0] == 'close':
                    c.close()
                elif command[0] == 'shutdown':
                    c.shutdown(socket.SHUT_RD)
                print(line.strip(), flush=True)
            """;

    private static Kit.Running puppet(Kit kit) throws Exception {
        Kit.Running puppet = kit.python(PUPPET);
        puppet.awaitOut("listening"::equals);
        return puppet;
    }

    private static void tell(Kit.Running puppet, String command) throws Exception {
        puppet.process.getOutputStream().write((command + "\n").getBytes());
        puppet.process.getOutputStream().flush();
        puppet.awaitOut(command::equals);
    }

    private static void go(Kit.Running puppet, String how) throws Exception {
        if (how.equals("killed")) {
            puppet.signal("KILL");
        } else {
            tell(puppet, "close");
        }
    }

    private static void failsAtOnce(Kit.Running sender, long since, String script, String message) throws Exception {
        assertEquals(1, sender.await());
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
        assertEquals(List.of(script + ": slow_receiver.sock: " + message), sender.err());
        assertTrue(millis < 1000, millis + " ms");
    }

    @ParameterizedTest
    @CsvSource({"blocking-sender, killed", "nonblocking-sender, killed", "poll-sender, killed",
        "blocking-sender, closed", "nonblocking-sender, closed", "poll-sender, closed"})
    void receiverGoesWhileTheSenderWaits(String script, String how) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = kit.script(script);
            puppet.awaitUnread(FULL);
            tell(puppet, "read 20480");
            long since = System.nanoTime();
            go(puppet, how);
            failsAtOnce(sender, since, script, "the receiver closed the connection; " + FULL + " bytes had been accepted");
        }
    }

    @ParameterizedTest
    @CsvSource({"blocking-sender, killed", "nonblocking-sender, killed", "poll-sender, killed",
        "blocking-sender, closed", "nonblocking-sender, closed", "poll-sender, closed"})
    void receiverGoesBeforeAndBetweenWrites(String script, String how) throws Exception {
        for (int accepted : List.of(0, 1000)) {
            try (Kit kit = new Kit()) {
                Kit.Running puppet = puppet(kit);
                Kit.Running sender = kit.script(script, "--input", "-");
                OutputStream input = sender.process.getOutputStream();
                puppet.awaitOut("accepted"::equals);
                input.write(new byte[accepted]);
                input.flush();
                tell(puppet, "read " + accepted);
                go(puppet, how);
                puppet.signal("KILL");
                puppet.await();
                long since = System.nanoTime();
                input.write(new byte[10]);
                input.flush();
                failsAtOnce(sender, since, script,
                        "the receiver closed the connection; " + accepted + " bytes had been accepted");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"blocking-sender, 0", "nonblocking-sender, 0", "blocking-sender, 20480", "nonblocking-sender, 20480"})
    void receiverShutsDownItsInput(String script, int read) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = kit.script(script);
            puppet.awaitUnread(FULL);
            tell(puppet, "read " + read);
            long since = System.nanoTime();
            tell(puppet, "shutdown");
            failsAtOnce(sender, since, script, "the receiver closed the connection; " + FULL + " bytes had been accepted");
        }
    }

    /** poll(2) never reports it, so after 30 s without a write one is tried. */
    @Test
    void pollSenderFindsOutThatAFullQueueWasShutDown() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = kit.script("poll-sender");
            puppet.awaitUnread(FULL);
            tell(puppet, "shutdown");
            assertEquals(1, sender.await());
            assertEquals(List.of("poll-sender: slow_receiver.sock: the receiver closed the connection; "
                    + FULL + " bytes had been accepted"), sender.err());
        }
    }

    @ParameterizedTest
    @CsvSource({"blocking-sender, 1", "nonblocking-sender, 1", "poll-sender, 1"})
    void senderGivesUpOnAReaderThatStops(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = kit.script(script, "--give-up", "2s");
            puppet.awaitOut("accepted"::equals);
            tell(puppet, "read 20480");
            assertEquals(3, sender.await());
            assertEquals(List.of(script + ": slow_receiver.sock: gave up, nothing could be written for 2.000000 s; "
                    + FULL + " bytes had been accepted"), sender.err());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender"})
    void patienceIsForTheLastProgressNotForTheWholeRun(String script) throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver("--interval", "100ms");
            Kit.Running sender = kit.script(script, "--give-up", "2s");
            assertEquals(0, sender.await(), () -> sender.err().toString());
            assertEquals(script.equals("blocking-sender"), sender.out().equals(List.of("wrote 1048576 bytes")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender"})
    void senderWaitsForAReceiverThatStartsLate(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running sender = kit.script(script, "--connect-timeout", "20s", "--size", "1000");
            TimeUnit.SECONDS.sleep(1);
            assertTrue(sender.process.isAlive());
            kit.receiver("--interval", "0s");
            assertEquals(0, sender.await());
            assertEquals(List.of("wrote 1000 bytes"), sender.out());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender"})
    void senderWaitsNoLongerThanAsked(String script) throws Exception {
        try (Kit kit = new Kit()) {
            long since = System.nanoTime();
            Kit.Running sender = kit.script(script, "--connect-timeout", "5s");
            assertEquals(1, sender.await());
            assertEquals(List.of(script + ": slow_receiver.sock: no such socket; start the receiver first"), sender.err());
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
            assertTrue(millis >= 5000 && millis < 10_000, millis + " ms");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender"})
    void fullBacklogIsWaitedForNoLongerThanAsked(String script) throws Exception {
        try (Kit kit = new Kit()) {
            kit.python("""
                    import socket, time
                    s = socket.socket(socket.AF_UNIX)
                    s.bind('slow_receiver.sock')
                    s.listen(0)
                    c = socket.socket(socket.AF_UNIX)
                    c.connect('slow_receiver.sock')
                    print('full', flush=True)
                    time.sleep(60)
                    """).awaitOut("full"::equals);
            Kit.Running sender = kit.script(script, "--connect-timeout", "1s");
            assertEquals(1, sender.await());
            assertEquals(List.of(script + ": slow_receiver.sock: the receiver's backlog is full"), sender.err());
        }
    }

    @ParameterizedTest
    @CsvSource({"blocking-sender, TERM, 143", "nonblocking-sender, TERM, 143", "poll-sender, TERM, 143",
        "blocking-sender, INT, 130", "nonblocking-sender, INT, 130", "poll-sender, INT, 130"})
    void signalEndsASenderAtOnceWithTheBytesAccepted(String script, String signal, int status) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = kit.script(script);
            puppet.awaitUnread(FULL);
            long since = System.nanoTime();
            sender.signal(signal);
            assertEquals(status, sender.await());
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
            assertEquals(List.of(script + ": slow_receiver.sock: stopped by a signal; " + FULL + " bytes had been accepted"),
                    sender.err());
            assertTrue(millis < 1000, millis + " ms");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender"})
    void signalEndsASenderThatWaitsForItsInput(String script) throws Exception {
        try (Kit kit = new Kit()) {
            puppet(kit);
            Kit.Running sender = kit.script(script, "--input", "-", "--json");
            sender.awaitEvent("connected");
            long since = System.nanoTime();
            sender.signal("TERM");
            assertEquals(143, sender.await());
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
            assertEquals(List.of(script + ": slow_receiver.sock: stopped by a signal; 0 bytes had been accepted"), sender.err());
            assertTrue(millis < 1000, millis + " ms");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender"})
    void killedSenderLosesNothingThatWasAccepted(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver("--interval", "10ms", "--connections", "2", "--output", "received", "--json");
            Kit.Running killed = kit.script(script, "--size", "1g");
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
            assertEquals(0, kit.script(script, "--size", "1000").await());
            assertEquals(0, receiver.await());
            assertEquals(delivered + 1000, Files.size(kit.dir.resolve("received")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender"})
    void stoppedAndContinuedProcessesLoseNothing(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver("--interval", "20ms", "--connections", "1", "--json");
            Kit.Running sender = kit.script(script, "--json");
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
            assertEquals(Kit.events(sender, "done").findFirst().orElseThrow().get("crc32c"),
                    Kit.events(receiver, "closed").findFirst().orElseThrow().get("crc32c"));
        }
    }

    @ParameterizedTest
    @CsvSource({"poll-sender, poll:error=EINTR:when=2+2", "poll-sender, sendto:error=EINTR:when=2+2",
        "blocking-sender, sendto:error=EINTR:when=1", "nonblocking-sender, sendto:error=EINTR:when=2+2"})
    void interruptedSystemCallsLoseNothing(String script, String injection) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver("--interval", "10ms", "--connections", "1", "--json");
            List<String> command = kit.command(script, "--json");
            command.addAll(0, List.of("strace", "-f", "-qq", "-o", "trace", "-e", "trace=poll,sendto", "-e", "inject=" + injection));
            Kit.Running sender = kit.run(command.toArray(String[]::new));
            assertEquals(0, sender.await(), () -> sender.err().toString());
            assertEquals(0, receiver.await());
            assertTrue(Files.readString(kit.dir.resolve("trace")).contains("EINTR"));
            assertEquals(Kit.events(sender, "done").findFirst().orElseThrow().get("crc32c"),
                    Kit.events(receiver, "closed").findFirst().orElseThrow().get("crc32c"));
        }
    }
}
