import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One sender and many readers, none of them ours, one of them stuck. */
class FanOutTest {
    /** Connects argv[1] times, then prints what each connection got: the number of bytes and their SHA-256. */
    private static final String READERS = """
            import hashlib, resource, selectors, socket, sys
            n = int(sys.argv[1])
            hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            selector = selectors.DefaultSelector()
            got = []
            for i in range(n):
                s = socket.socket(socket.AF_UNIX)
                s.connect("slow_receiver.sock")
                selector.register(s, selectors.EVENT_READ, i)
                got.append([0, hashlib.sha256()])
            print("connected", flush=True)
            while n:
                for key, _ in selector.select():
                    data = key.fileobj.recv(1 << 18)
                    got[key.data][0] += len(data)
                    got[key.data][1].update(data)
                    if not data:
                        selector.unregister(key.fileobj)
                        n -= 1
            for bytes, digest in got:
                print(bytes, digest.hexdigest())
            """;
    static final int KEEP = 1 << 20;

    static byte[] input(Kit kit, int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Files.write(kit.dir.resolve("input"), bytes);
        return bytes;
    }

    static Kit.Running sender(Kit kit, String... args) throws IOException, InterruptedException {
        Kit.Running sender = kit.script("fan-out-sender", args);
        sender.awaitErr(line -> line.equals("fan-out-sender: listening on slow_receiver.sock"));
        return sender;
    }

    static Kit.Running readers(Kit kit, int n) throws IOException, InterruptedException {
        Kit.Running readers = kit.python(READERS, Integer.toString(n));
        readers.awaitOut(line -> line.equals("connected"));
        return readers;
    }

    static String got(byte[] bytes, int from, int to) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(bytes, from, to - from);
        return to - from + " " + HexFormat.of().formatHex(digest.digest());
    }

    /** Waits for all that the readers of one process print, and checks that each got the whole input. */
    static void assertComplete(Kit.Running readers, byte[] input) throws Exception {
        assertEquals(0, readers.await(), () -> readers.err().toString());
        List<String> got = readers.out().subList(1, readers.out().size());
        for (String each : got) {
            assertEquals(got(input, 0, input.length), each);
        }
    }

    static long wrote(Kit.Running sender, int reader) {
        Pattern line = Pattern.compile("reader " + reader + ": wrote (\\d+) bytes");
        return sender.out().stream().map(line::matcher).filter(Matcher::matches)
                .mapToLong(found -> Long.parseLong(found.group(1))).sum();
    }

    static long told(Kit.Running sender, String event) throws InterruptedException {
        Pattern line = Pattern.compile("fan-out-sender: reader 1: " + event + " (\\d+)( bytes)?");
        Matcher told = line.matcher(sender.awaitErr(text -> line.matcher(text).matches()));
        assertTrue(told.matches());
        return Long.parseLong(told.group(1));
    }

    static void await(Callable<Boolean> condition) throws Exception {
        for (long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Kit.PATIENCE_SECONDS); !condition.call();) {
            assertTrue(System.nanoTime() < deadline, "in vain");
            Thread.sleep(5);
        }
    }

    @ParameterizedTest
    @CsvSource({"drop, dropped at byte", "skip, skipped", "wait, dropped at byte"})
    void fiftyReadersOneOfThemStopped(String lag, String event) throws Exception {
        try (Kit kit = new Kit()) {
            byte[] input = input(kit, 8 << 20);
            List<String> args = new ArrayList<>(List.of("-i", "input", "--readers", "50", "--lag", lag));
            args.addAll(lag.equals("wait") ? List.of("--give-up", "1s") : List.of());
            Kit.Running sender = sender(kit, args.toArray(String[]::new));
            Kit.Running stopped = readers(kit, 1);
            stopped.signal("STOP");
            Kit.Running socat = kit.run("sh", "-c", "socat -u UNIX-CONNECT:slow_receiver.sock - | sha256sum");
            Kit.Running python = readers(kit, 48);
            assertComplete(python, input);
            assertEquals(0, socat.await());
            assertEquals(got(input, 0, input.length), input.length + " " + socat.out().get(0).replace("  -", ""));
            assertEquals(0, sender.await());
            long place = lag.equals("skip") ? input.length - told(sender, event) : told(sender, event);
            assertEquals(wrote(sender, 1), place);
            assertEquals(2, sender.err().size(), () -> sender.err().toString());
            stopped.signal("CONT");
            stopped.await();
            assertEquals(got(input, 0, (int) place), stopped.out().get(1));
        }
    }

    @Test
    void waitsForTheStoppedReaderAsLongAsItTakes() throws Exception {
        try (Kit kit = new Kit()) {
            byte[] input = input(kit, 4 << 20);
            Kit.Running sender = sender(kit, "-i", "input", "--readers", "50", "--lag", "wait");
            Kit.Running stopped = readers(kit, 1);
            stopped.signal("STOP");
            Kit.Running others = readers(kit, 49);
            await(() -> wrote(sender, 50) == wrote(sender, 1) + KEEP && wrote(sender, 1) > 0);
            stopped.signal("CONT");
            assertComplete(others, input);
            assertComplete(stopped, input);
            assertEquals(0, sender.await());
            assertEquals(1, sender.err().size());
        }
    }

    @Test
    void aThousandReadersOneOfThemStopped() throws Exception {
        try (Kit kit = new Kit()) {
            byte[] input = input(kit, 1 << 19);
            Kit.Running sender = sender(kit, "-i", "input", "--readers", "1001", "--keep", "256k");
            Kit.Running stopped = readers(kit, 1);
            stopped.signal("STOP");
            assertComplete(readers(kit, 1000), input);
            assertEquals(wrote(sender, 1), told(sender, "dropped at byte"));
            assertEquals(0, sender.await());
        }
    }

    @Test
    void aReaderThatSkippedGoesOnWithTheNewest() throws Exception {
        try (Kit kit = new Kit()) {
            byte[] input = input(kit, 4 << 20);
            Kit.Running sender = sender(kit, "-i", "-", "--readers", "2", "--lag", "skip");
            Kit.Running stopped = readers(kit, 1);
            stopped.signal("STOP");
            Kit.Running other = readers(kit, 1);
            OutputStream stdin = sender.process.getOutputStream();
            stdin.write(input, 0, 3 << 20);
            stdin.flush();
            await(() -> wrote(sender, 2) == 3 << 20);
            int place = (int) wrote(sender, 1);
            stopped.signal("CONT");
            int missed = (int) told(sender, "skipped");
            stdin.write(input, 3 << 20, 1 << 20);
            stdin.close();
            assertComplete(other, input);
            stopped.await();
            byte[] expected = new byte[input.length - missed];
            System.arraycopy(input, 0, expected, 0, place);
            System.arraycopy(input, place + missed, expected, place, expected.length - place);
            assertEquals(3 << 20, place + missed);
            assertEquals(got(expected, 0, expected.length), stopped.out().get(1));
        }
    }

    @Test
    void servesReadersWhileStandardInputIsSilent() throws Exception {
        try (Kit kit = new Kit()) {
            byte[] input = input(kit, 3 << 20);
            Kit.Running sender = sender(kit, "-i", "-", "--readers", "2", "--lag", "wait");
            Kit.Running readers = readers(kit, 2);
            OutputStream stdin = sender.process.getOutputStream();
            stdin.write(input);
            stdin.flush();
            await(() -> wrote(sender, 1) == input.length && wrote(sender, 2) == input.length);
            stdin.close();
            assertComplete(readers, input);
        }
    }

    @Test
    void fiveGibibytesThroughAKeepOf64kInConstantMemory() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running sender = sender(kit, "-n", "5g", "--keep", "64k", "--readers", "1");
            Kit.Running reader = kit.run("sh", "-c", "socat -u -b 262144 UNIX-CONNECT:slow_receiver.sock - | wc -c");
            Path status = Path.of("/proc/" + sender.process.pid() + "/status");
            List<Long> peaks = new ArrayList<>();
            while (sender.process.isAlive()) {
                Files.readAllLines(status).stream().filter(line -> line.startsWith("VmHWM:"))
                        .forEach(line -> peaks.add(Long.parseLong(line.replaceAll("\\D", ""))));
                sender.process.waitFor(100, TimeUnit.MILLISECONDS);
            }
            assertEquals(0, reader.await());
            assertEquals(List.of("5368709120"), reader.out());
            long last = peaks.get(peaks.size() - 1);
            assertTrue(last < 150_000, "peak of " + last + " KiB");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aSignalEndsItAndRemovesTheSocket(String signal) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running sender = sender(kit, "-i", "-");
            sender.signal(signal);
            assertEquals(signal.equals("TERM") ? 143 : 130, sender.await());
            assertFalse(Files.exists(kit.dir.resolve("slow_receiver.sock")));
        }
    }
}
