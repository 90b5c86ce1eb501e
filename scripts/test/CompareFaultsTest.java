import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Senders against a receiver that fails, commands that never connect, and a compare that is killed. */
class CompareFaultsTest {
    /** The first queue full and one wake-up: what the kernel accepts of any sender by the read that reaches 200k. */
    private static final int ACCEPTED_BY_200K = 219264 + 182720;

    private static List<String> row(Kit.Running compare, String label) {
        return compare.out().stream().filter(line -> line.strip().startsWith(label)).findFirst()
                .map(line -> List.of(line.strip().split("  +"))).orElse(List.of());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--close-after 200k | failed | the receiver closed the connection; %d bytes had been accepted (exit status 1)",
        "--restart-after 200k --down 20ms | failed | the receiver closed the connection; %d bytes had been accepted"
                + " (exit status 1)",
        "--stall-after 200k --give-up 2s | gave up | gave up, nothing could be written for 2.000000 s; %d bytes had"
                + " been accepted (exit status 3)"})
    void senderThatEndsAsTheFaultDemandsIsNoFailure(String fault, String did, String error) throws Exception {
        try (Kit kit = new Kit()) {
            List<String> args = new ArrayList<>(List.of("--interval", "100ms", "--export-json", "a.json",
                    "--sender", "blocking", "--sender", "poll"));
            args.addAll(List.of(fault.split(" ")));
            Kit.Running compare = CompareTest.compare(kit, args.toArray(String[]::new));
            assertEquals(0, compare.await(), () -> compare.err().toString());
            String bytes = Integer.toString(ACCEPTED_BY_200K);
            assertEquals(List.of("what it did", did, did), row(compare, "what it did"));
            assertEquals(List.of("accepted, bytes", bytes, bytes), row(compare, "accepted, bytes"));
            for (JsonObject run : CompareFiguresTest.runs(CompareFiguresTest.json(kit, "a.json"))) {
                String name = CompareFiguresTest.text(run, "sender");
                String line = name + ": slow_receiver.sock: " + String.format(error, ACCEPTED_BY_200K);
                assertEquals(line, CompareFiguresTest.text(run, "error"));
                assertTrue(compare.out().contains(name + ": " + line), () -> compare.out().toString());
                figuresUpToTheFailure(run);
            }
        }
    }

    /** A run that failed has its figures up to then, which are those of its last event. */
    private static void figuresUpToTheFailure(JsonObject run) {
        JsonObject failed = CompareFiguresTest.events(run, "sender", "failed").get(0);
        assertEquals(ACCEPTED_BY_200K, run.get("bytes").getAsInt());
        assertEquals(204800, run.get("delivered").getAsInt());
        for (String name : List.of("bytes", "writes", "would_block", "polls", "poll_timeouts", "user", "system",
                "beats_due", "beats_run", "beat_worst")) {
            assertEquals(failed.get(name), run.get(name), name);
        }
        assertTrue(failed.get("seconds").getAsDouble() > 0.18);
        assertTrue(run.get("accepted_seconds").isJsonNull());
    }

    @Test
    void stallThatComesAgainAndAgainIsPredicted() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--interval", "10ms", "--sender", "poll", "--stall-every",
                    "300k", "--resume-after", "400ms", "--export-json", "a.json");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            JsonObject run = CompareFiguresTest.runs(CompareFiguresTest.json(kit, "a.json")).get(0);
            assertEquals(3, CompareFiguresTest.events(run, "receiver", "stall").size());
            assertEquals(List.of("writes", "6"), row(compare, "writes"));
            assertTrue(String.join(" ", compare.out()).contains("The kernel model predicts every write to the byte;"),
                    () -> compare.out().toString());
        }
    }

    @Test
    void modelKeepsSilentOfAFaultOfChance() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--interval", "5ms", "--jitter", "10ms", "--seed", "1",
                    "--sender", "poll");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            assertEquals(List.of("what it did", "sent all"), row(compare, "what it did"));
            assertTrue(compare.out().contains("Every byte arrived intact."), () -> compare.out().toString());
            assertFalse(String.join(" ", compare.out()).contains("predict"), () -> compare.out().toString());
        }
    }

    @Test
    void receiverThatNeverAcceptsIsEndedWithItsSender() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--never-accept", "--give-up", "200ms", "--sender",
                    "nonblocking");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            assertEquals(List.of("accepted, bytes", "219264"), row(compare, "accepted, bytes"));
            assertEquals(List.of("writes", "1"), row(compare, "writes"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--resume-after 1s", "--stall-every 10k", "--seed 1", "--down 1s",
        "--close-after 1k --restart-after 1k", "--never-accept --jitter 1s"})
    void faultsThatDoNotGoTogetherAreAUsageError(String args) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, args.split(" "));
            assertEquals(2, compare.await());
            assertEquals(1, compare.err().size(), () -> compare.err().toString());
            assertTrue(compare.err().get(0).matches("compare: .*--.* \\(see --help\\)"), compare.err().get(0));
        }
    }

    /** At once: the deadline is longer than the patience of this test. */
    @Test
    void commandThatEndsWithoutHavingConnectedIsReportedAtOnce() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--sender", "poll", "--interval", "2ms", "--deadline",
                    "10m", "--command", "well=true", "--command", "badly=exit 4");
            assertEquals(1, compare.await());
            assertTrue(compare.out().contains("well: ended without having connected"), () -> compare.out().toString());
            assertTrue(compare.out().contains("badly: exit status 4"), () -> compare.out().toString());
        }
    }

    @Test
    void killedCompareLeavesNoProcess() throws Exception {
        try (Kit kit = new Kit()) {
            Path child = kit.dir.resolve("child");
            Path orphan = kit.dir.resolve("orphan");
            Kit.Running compare = CompareTest.compare(kit, "--interval", "1ms", "--sender", "poll",
                    "--command", "hangs=trap '' TERM; (sleep 1000 & echo $! > " + orphan + "); echo $$ > " + child
                    + "; sleep 1000");
            CompareTest.await(() -> Files.exists(child));
            assertTrue(CompareTest.isAlive(child) && CompareTest.isAlive(orphan));
            List<ProcessHandle> descendants = compare.process.descendants().toList();
            assertTrue(descendants.size() >= 4, descendants.toString());
            compare.signal("KILL");
            assertEquals(137, compare.await());
            CompareTest.await(() -> descendants.stream().noneMatch(ProcessHandle::isAlive)
                    && !CompareTest.isAlive(child) && !CompareTest.isAlive(orphan));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--sender poll", "--sender poll --export-json -", "--sender poll --export-csv -",
        "--sender poll --export-markdown -", "--help"})
    void standardOutputThatCannotBeWrittenIsAnError(String args) throws Exception {
        try (Kit kit = new Kit()) {
            List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));
            command.addAll(CompareTest.command(kit, ("--interval 1ms " + args).split(" ")));
            Kit.Running compare = kit.run(command.toArray(String[]::new));
            assertEquals(1, compare.await());
            String last = compare.err().get(compare.err().size() - 1);
            assertTrue(last.startsWith("compare: standard output: "), () -> compare.err().toString());
        }
    }
}
