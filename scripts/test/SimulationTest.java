import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import kernel.Architecture;
import kernel.Faults;
import kernel.Machine;
import kernel.Prediction;
import kernel.Settings;
import kernel.Strategy;
import kernel.UnpredictableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the simulation predicts, against recorded runs, the seed, real runs, and itself without its shortcuts. */
class SimulationTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Machine USUAL = Machine.of(Architecture.X86_64).with(null, null, 4194304L);
    private static final Settings SEED = Settings.on(USUAL);

    /** Keeps the times as well, and checks their order. */
    private static final class Recorder extends Recorded.Calls {
        final List<Long> reads = new ArrayList<>();
        long last;
        long beats;

        @Override
        public void wrote(long time, long bytes) {
            hear(time);
            super.wrote(time, bytes);
        }

        @Override
        public void received(long time, long bytes) {
            hear(time);
            super.received(time, bytes);
            reads.add(time);
        }

        @Override
        public void beat(long time, long late) {
            hear(time);
            beats++;
        }

        @Override
        public void ended(long time) {
            hear(time);
        }

        private void hear(long time) {
            assertTrue(time >= last, "events are in order of time");
            last = time;
        }

        List<Long> readSizes() {
            return calls.stream().filter(bytes -> bytes < 0).map(bytes -> -bytes).toList();
        }
    }

    @Test
    void predictsEveryRecordedRun() throws Exception {
        for (Recorded recorded : Recorded.here()) {
            Recorder recorder = new Recorder();
            Prediction run = Prediction.of(recorded.setting().on(recorded.machine()), recorded.setting().strategy(),
                    recorder);
            assertEquals(recorded, recorded.with(recorder.calls));
            assertEquals(recorded.reads(), run.reads());
        }
    }

    /** The times and writes of the seed, measured at a read of 20 KiB each second. */
    @Test
    void predictsTheSeed() throws Exception {
        List<Long> nonblocking = new ArrayList<>(List.of(219264L));
        nonblocking.addAll(Collections.nCopies(22, 36544L));
        nonblocking.add(25344L);
        assertSeed(Strategy.BLOCKING, 44, List.of(1048576L));
        assertSeed(Strategy.NONBLOCKING, 41, nonblocking);
        assertSeed(Strategy.POLL, 44, List.of(219264L, 182720L, 182720L, 182720L, 182720L, 98432L));
        assertSeed(Strategy.VIRTUAL, 44, List.of(219264L, 182720L, 182720L, 182720L, 182720L, 98432L));
    }

    private static void assertSeed(Strategy strategy, long seconds, List<Long> writes) throws Exception {
        Recorder recorder = new Recorder();
        Prediction run = Prediction.of(SEED, strategy, recorder);
        assertEquals(seconds * SECOND, run.acceptedTime());
        assertEquals(writes, recorder.writes());
    }

    /** The heartbeat of a virtual sender is another thread's, so none is missed, and it counts no polls. */
    @Test
    void virtualSenderMissesNoBeat() throws Exception {
        Prediction run = Prediction.of(SEED.withHeartbeat(SECOND / 2), Strategy.VIRTUAL);
        assertEquals(88, run.beatsDue());
        assertEquals(List.of(88L, 0L, 0L, 0L),
                List.of(run.beatsRun(), run.worstBeat(), run.polls(), run.pollTimeouts()));
        Prediction gaveUp = Prediction.of(SEED.withGiveUp(5 * SECOND), Strategy.VIRTUAL);
        assertEquals(5 * SECOND, gaveUp.ended());
        assertEquals(219264, gaveUp.bytes());
    }

    /** As recorded of a virtual thread of JDK 25, which polls only when a write is refused. */
    @Test
    void virtualSenderFillsTheQueueWithSmallWritesAsWell() throws Exception {
        Recorder recorder = new Recorder();
        Prediction.of(SEED.withSize(262144).withChunk(256), Strategy.VIRTUAL, recorder);
        assertEquals("0:256x167 2:256x160 4:256x160 6:256x160 8:256x160 10:256x160 12:256x57",
                Recorded.here().get(0).with(recorder.calls).writes());
    }

    /** Without an observer whole cycles are skipped and reads taken together; the figures must not show it. */
    @Test
    void shortcutsChangeNothing() throws Exception {
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            Settings settings = anySettings(random);
            if (i % 2 == 1) {
                Faults faults = anyFaults(random);
                settings = settings.withFaults(faults).withSize(Math.min(settings.size(),
                        20_000 * (faults.stallEvery() == null ? Long.MAX_VALUE / 20_000 : faults.stallEvery())));
            }
            for (Strategy strategy : Strategy.values()) {
                assertSameWithAndWithoutShortcuts(settings, strategy);
            }
        }
    }

    private static void assertSameWithAndWithoutShortcuts(Settings settings, Strategy strategy) throws Exception {
        Recorder recorder = new Recorder();
        Prediction run = Prediction.of(settings, strategy, recorder);
        assertEquals(run, Prediction.of(settings, strategy), settings.toString());
        assertEquals(run.writes(), recorder.writes().size());
        assertEquals(run.reads(), recorder.reads.size());
        assertEquals(run.bytes(), recorder.writes().stream().mapToLong(Long::longValue).sum());
        assertEquals(0, recorder.calls.stream().mapToLong(Long::longValue).sum());
        assertEquals(settings.heartbeat() == null ? 0 : run.beatsRun(), recorder.beats);
        assertTrue(run.error() != null || run.bytes() == settings.size());
    }

    private static Settings anySettings(Random random) {
        long chunk = 1 + random.nextInt(1 << 1 + random.nextInt(20));
        long readSize = 1 + random.nextInt(1 << 1 + random.nextInt(16));
        Machine machine = Machine.of(Architecture.values()[random.nextInt(Architecture.values().length)]);
        return Settings.on(machine).withSize(Math.min(20_000 * Math.min(chunk, readSize), 1 << 23)).withChunk(chunk)
                .withSndbuf(random.nextBoolean() ? null : Long.valueOf(1 + random.nextInt(1 << 12 + random.nextInt(8))))
                .withReadSize(readSize)
                .withInterval(random.nextInt(4) * SECOND * (random.nextInt(20) == 0 ? 10 : 1))
                .withHeartbeat(random.nextBoolean() ? null : Long.valueOf(anyPeriod(random)))
                .withTimeout(anyPeriod(random))
                .withGiveUp(random.nextInt(3) > 0 ? null : Long.valueOf(SECOND * (1 + random.nextInt(40))));
    }

    private static long anyPeriod(Random random) {
        return SECOND * (1 + random.nextInt(6)) / (1 + random.nextInt(6));
    }

    private static Faults anyFaults(Random random) {
        long bytes = 1 + random.nextInt(1 << 1 + random.nextInt(22));
        long delay = random.nextBoolean() ? 0 : anyPeriod(random);
        return switch (random.nextInt(3)) {
            case 0 -> new Faults(delay, bytes, null, null, anyPeriod(random) * random.nextInt(30));
            case 1 -> new Faults(delay, null, bytes, null, anyPeriod(random) * random.nextInt(30));
            default -> new Faults(delay, null, null, anyPeriod(random) * (1 + random.nextInt(20)), anyPeriod(random));
        };
    }

    /** Reads of 20000 bytes each second; a stall of 10 s, at exactly its bytes or at the read that its time reaches. */
    @ParameterizedTest
    @CsvSource({"after 50000,   0 1 2 13 14 15,     20000 20000 10000 20000 20000 10000",
        "after 40000,       0 1 12 13 14,           20000 20000 20000 20000 20000",
        "after 0,           10 11 12 13 14,         20000 20000 20000 20000 20000",
        "every 30000,       0 1 12 13 24 25 36,     20000 10000 20000 10000 20000 10000 10000",
        "every 20000,       0 11 22 33 44,          20000 20000 20000 20000 20000",
        "period 2,          0 1 12 13 24,           20000 20000 20000 20000 20000",
        "period 100,        0 1 2 3 4,              20000 20000 20000 20000 20000"})
    void stallsComeWhereAskedFor(String stall, String times, String sizes) throws Exception {
        long value = Long.parseLong(stall.split(" ")[1]);
        Faults faults = switch (stall.split(" ")[0]) {
            case "after" -> new Faults(0, value, null, null, 10 * SECOND);
            case "every" -> new Faults(0, null, value, null, 10 * SECOND);
            default -> new Faults(0, null, null, value * SECOND, 10 * SECOND);
        };
        Settings settings = SEED.withSize(100_000).withReadSize(20_000);
        for (Strategy strategy : Strategy.values()) {
            for (long delay : new long[] {0, stall.startsWith("period") ? 0 : SECOND / 2}) {
                Recorder recorder = new Recorder();
                Prediction.of(settings.withFaults(new Faults(delay, faults.stallAfter(), faults.stallEvery(),
                        faults.stallPeriod(), faults.resumeAfter())), strategy, recorder);
                assertEquals(numbers(times).map(time -> delay + time * SECOND).toList(), recorder.reads);
                assertEquals(numbers(sizes).toList(), recorder.readSizes());
            }
        }
    }

    private static Stream<Long> numbers(String text) {
        return Arrays.stream(text.split(" +")).map(Long::valueOf);
    }

    /**
     * Repetitions are skipped up to the one stall and again after it, or with the stalls that come again. Each cuts one
     * read in two where it is no multiple of the read size; a period of 1000 s has reads in 990 s of it, but the first.
     */
    @ParameterizedTest
    @CsvSource({"549755813888,, , 53687191", ", 1073741824, , 53789595", ", , 1000, 54229381"})
    void longRunsWithStallsArePredictedAtOnce(Long after, Long every, Long period, long seconds) throws Exception {
        Faults faults = new Faults(0, after, every, period == null ? null : period * SECOND,
                (period == null ? 100 : 10) * SECOND);
        for (Strategy strategy : Strategy.values()) {
            Prediction run = Prediction.of(SEED.withSize(1L << 40).withFaults(faults), strategy);
            assertEquals(1L << 40, run.bytes());
            assertEquals(seconds * SECOND, run.deliveredTime(), strategy.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"1099511627776, 1048576, 20480, 53687091", "1073741824, 1, 20480, 0"})
    void longRunsArePredictedAtOnceInLittleMemory(long size, long chunk, long readSize, long seconds) throws Exception {
        try (Kit kit = new Kit()) {
            long began = System.nanoTime();
            Kit.Running predict = kit.run(System.getProperty("java.home") + "/bin/java", "-Xmx24m",
                    "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), "Predict", "--arch=x86_64",
                    "--size=" + size, "--chunk=" + chunk, "--read-size=" + readSize);
            assertEquals(0, predict.await(), () -> predict.err().toString());
            assertTrue(System.nanoTime() - began < 20 * SECOND, "a second, and much for a loaded machine");
        }
        for (Strategy strategy : Strategy.values()) {
            Prediction run = Prediction.of(SEED.withSize(size).withChunk(chunk).withReadSize(readSize), strategy);
            assertEquals(size, run.bytes());
            assertTrue(seconds == 0 || run.deliveredTime() == seconds * SECOND, "all reads are full");
            assertTrue(chunk > 1 || run.writes() == size, "a write for each byte");
        }
    }

    @Test
    void refusesARunWithoutAPattern() {
        Settings settings = SEED.withSize(1L << 40).withChunk(2047L << 20).withReadSize(20_001);
        assertThrows(UnpredictableException.class, () -> Prediction.of(settings, Strategy.POLL));
    }

    /**
     * Real processes, but for the busy loop, which a loaded machine disturbs. No poll timeout ends together with a
     * pause of the reader, so chance does not order them.
     */
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"BLOCKING", "POLL"})
    void realRunsWriteWhatIsPredicted(Strategy strategy) throws Exception {
        Settings settings = Settings.on(Machine.local()).withSize(400_000).withInterval(SECOND / 2)
                .withTimeout(7 * SECOND / 10);
        Recorder recorder = new Recorder();
        Prediction.of(settings, strategy, recorder);
        try (Kit kit = new Kit()) {
            kit.receiver("--interval=500ms");
            List<String> args = new ArrayList<>(List.of("--size=400000"));
            if (strategy == Strategy.POLL) {
                args.add("--timeout=700ms");
            }
            Kit.Running sender = kit.script(strategy + "-sender", args.toArray(String[]::new));
            assertEquals(0, sender.await(), () -> sender.err().toString());
            assertEquals(recorder.writes().stream().map(bytes -> "wrote " + bytes + " bytes").toList(),
                    sender.out().stream().filter(line -> line.startsWith("wrote")).toList());
        }
    }
}
