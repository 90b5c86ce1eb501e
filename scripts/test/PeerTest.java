import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Peers that go, stop or never read: no sender hangs, and none claims more than was accepted. */
class PeerTest {
    /** What the kernel holds at most: default send buffer, 4 KiB pages (kernel-patterns.tsv). */
    static final int FULL = 219264;

    private static final String GONE = "the receiver closed the connection; ";

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

    static List<String> senders() throws Exception {
        return Exemplars.senders();
    }

    static List<String> patientSenders() throws Exception {
        return Exemplars.patientSenders();
    }

    static Stream<Arguments> sendersAndEnds() throws Exception {
        return senders().stream().flatMap(sender -> Stream.of("killed", "closed")
                .map(how -> Arguments.of(sender, how)));
    }

    static Kit.Running puppet(Kit kit) throws Exception {
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
    @MethodSource("sendersAndEnds")
    void receiverGoesWhileTheSenderWaits(String script, String how) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = Exemplars.start(kit, script);
            puppet.awaitUnread(FULL);
            tell(puppet, "read 20480");
            long since = System.nanoTime();
            go(puppet, how);
            failsAtOnce(sender, since, script, GONE + FULL + " bytes had been accepted");
        }
    }

    @ParameterizedTest
    @MethodSource("sendersAndEnds")
    void receiverGoesBeforeAndBetweenWrites(String script, String how) throws Exception {
        for (int accepted : List.of(0, 1000)) {
            try (Kit kit = new Kit()) {
                Kit.Running puppet = puppet(kit);
                Kit.Running sender = Exemplars.start(kit, script, "--input", "-");
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
                failsAtOnce(sender, since, script, GONE + accepted + " bytes had been accepted");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"blocking-sender, 0", "nonblocking-sender, 0", "blocking-sender, 20480", "nonblocking-sender, 20480"})
    void receiverShutsDownItsInput(String script, int read) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = Exemplars.start(kit, script);
            puppet.awaitUnread(FULL);
            tell(puppet, "read " + read);
            long since = System.nanoTime();
            tell(puppet, "shutdown");
            failsAtOnce(sender, since, script, GONE + FULL + " bytes had been accepted");
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

    /** The JDK polls for the virtual thread, so its write is not tried again, as poll-sender's is. */
    @Test
    void virtualSenderGivesUpOnAFullQueueThatWasShutDown() throws Exception {
        if (!senders().contains("virtual-sender")) {
            return;
        }
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = Exemplars.start(kit, "virtual-sender", "--give-up", "2s");
            puppet.awaitUnread(FULL);
            tell(puppet, "shutdown");
            assertEquals(3, sender.await());
        }
    }

    @ParameterizedTest
    @MethodSource("patientSenders")
    void senderGivesUpOnAReaderThatStops(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = Exemplars.start(kit, script, "--give-up", "2s");
            puppet.awaitOut("accepted"::equals);
            tell(puppet, "read 20480");
            assertEquals(3, sender.await());
            assertEquals(List.of(script + ": slow_receiver.sock: gave up, nothing could be written for 2.0 s; "
                    + FULL + " bytes had been accepted"), sender.err());
        }
    }

    @ParameterizedTest
    @MethodSource("patientSenders")
    void patienceIsForTheLastProgressNotForTheWholeRun(String script) throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver("--interval", "100ms");
            Kit.Running sender = Exemplars.start(kit, script, "--give-up", "2s");
            assertEquals(0, sender.await(), () -> sender.err().toString());
            assertTrue(sender.out().size() > 1);
        }
    }

    @ParameterizedTest
    @MethodSource("patientSenders")
    void waitingForTheInputTakesNoPatience(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running puppet = puppet(kit);
            Kit.Running sender = Exemplars.start(kit, script, "--give-up", "300ms", "--input", "-");
            puppet.awaitOut("accepted"::equals);
            TimeUnit.SECONDS.sleep(1); // longer than the patience
            try (OutputStream input = sender.process.getOutputStream()) {
                input.write(new byte[1000]);
            }
            assertEquals(0, sender.await(), () -> sender.err().toString());
            assertEquals(List.of("wrote 1000 bytes"), sender.out());
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void fullBacklogIsWaitedFor(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running full = kit.python("""
                    import socket, sys
                    s = socket.socket(socket.AF_UNIX)
                    s.bind('slow_receiver.sock')
                    s.listen(0)
                    c = socket.socket(socket.AF_UNIX)
                    c.connect('slow_receiver.sock')
                    print('full', flush=True)
                    sys.stdin.readline()
                    s.accept()
                    c = s.accept()[0]
                    while c.recv(20480):
                        pass
                    """);
            full.awaitOut("full"::equals);
            Kit.Running sender = Exemplars.start(kit, script);
            TimeUnit.SECONDS.sleep(1);
            assertTrue(sender.process.isAlive());
            full.process.getOutputStream().write('\n');
            full.process.getOutputStream().flush();
            assertEquals(0, sender.await(), () -> sender.err().toString());
        }
    }
}
