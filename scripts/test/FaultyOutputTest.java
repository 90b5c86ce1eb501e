import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the faulty receiver prints and when, and that something ends each of its waits. */
class FaultyOutputTest {
    @Test
    void withoutJsonTheTextIsTheSlowReceiversAndFaultsAreOnStandardError() throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 100_000);
            Kit.Running receiver = kit.faultyReceiver("-s", "s", "-t", "0s", "--stall-after", "20k",
                    "--resume-after", "10ms", "--close-after", "40k", "--connections", "1");
            Faulty.socat(kit).await();
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

    /** Thousands of lines in a few system calls, in text as well as with --json. */
    @ParameterizedTest
    @ValueSource(strings = {"", "--json"})
    void fastStreamCostsNoSystemCallALine(String json) throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 4 << 20);
            List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq", "-o", "trace", "-e", "trace=write"));
            command.addAll(kit.command("faulty-receiver", ("-s s -t 0s -r 1k --connections 1 " + json).split(" ")));
            Kit.Running receiver = kit.run(command.toArray(String[]::new));
            if (json.isEmpty()) {
                receiver.awaitErr(line -> line.contains("listening"));
            } else {
                receiver.awaitEvent("listening");
            }
            assertEquals(0, Faulty.socat(kit).await());
            assertEquals(0, receiver.await());
            assertTrue(receiver.out().size() >= 4096 + 2);
            List<String> calls = Files.readAllLines(kit.dir.resolve("trace"));
            long writes = calls.stream().filter(line -> line.contains("write(1,")).count();
            assertTrue(writes < 1000, writes + " system calls for " + receiver.out().size() + " lines");
        }
    }

    /** Whether it waits for more, pauses or stalls, the line of the read before is there. */
    @ParameterizedTest
    @ValueSource(strings = {"--interval 0s", "--interval 1m", "--interval 0s --stall-after 1000"})
    void whoeverWatchesASlowStreamSeesEachLine(String options) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.faultyReceiver(("-s s " + options).split(" "));
            Kit.Running peer = Faulty.peer(kit);
            assertEquals("sent", Faulty.tell(peer, "send 1000"));
            receiver.awaitOut("received 1000 bytes..."::equals);
        }
    }

    /** Connects once it listens; true ends at once. */
    private static final String TO_NOWHERE = """
            import os, socket, subprocess, sys
            if sys.argv[1] == 'pipe':
                r, out = os.pipe()
                os.close(r)
            else:
                out = os.open('/dev/full', os.O_WRONLY)
            receiver = subprocess.Popen(sys.argv[2:], stdout=out)
            while receiver.poll() is None:
                try:
                    s = socket.socket(socket.AF_UNIX)
                    s.connect('s')
                    s.sendall(b'x')
                except OSError:
                    pass
            sys.exit(receiver.returncode)
            """;

    @ParameterizedTest
    @CsvSource({"full, ''", "full, --json", "full, --output=-", "pipe, ''", "pipe, --json", "pipe, --output=-"})
    void standardOutputThatCannotBeWritten(String where, String option) throws Exception {
        try (Kit kit = new Kit()) {
            List<String> command = new ArrayList<>(List.of(where));
            command.addAll(kit.command("faulty-receiver", "-s", "s", "-t", "0s"));
            if (!option.isEmpty()) {
                command.add(option);
            }
            Kit.Running receiver = kit.python(TO_NOWHERE, command.toArray(String[]::new));
            assertEquals(1, receiver.await());
            List<String> errors = receiver.err().stream().filter(line -> line.contains("standard output: ")).toList();
            String problem = option.equals("--output=-") ? where.equals("full") ? "No space left on device"
                    : "Broken pipe" : "cannot be written to";
            assertEquals(List.of("faulty-receiver: standard output: " + problem), errors);
            assertFalse(Files.exists(kit.dir.resolve("s")));
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
                assertEquals(List.of(8.0), Faulty.seconds(receiver, "deadline"));
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
}
