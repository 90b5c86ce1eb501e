import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What predict predicts, against the seed and real runs, and how it says so. */
class PredictTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Predict.Machine USUAL = new Predict.Machine(4096, 212992, 4194304);
    private static final String JAVA = System.getProperty("java.home") + "/bin/java";
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    /** Makes the command line independent of the machine that the tests run on. */
    private static final List<String> ON_USUAL =
            List.of("--page-size=4k", "--wmem-default=212992", "--wmem-max=4m");

    private static Predict.Settings settings(long size, long chunk, long readSize) {
        return new Predict.Settings(size, chunk, null, readSize, SECOND, null, 3 * SECOND, null, USUAL);
    }

    private static Kit.Running predict(Kit kit, String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of(args));
        ON_USUAL.stream().filter(option -> all.stream().noneMatch(arg -> arg.startsWith(option.split("=")[0] + "=")))
                .forEach(all::add);
        return kit.script("predict", all.toArray(String[]::new));
    }

    /** Keeps what it hears, as the calls of {@link KernelModelTest.Setting#run}: writes positive, reads negative. */
    private static final class Recorder implements Predict.Observer {
        final List<Long> calls = new ArrayList<>();
        long last;
        long beats;

        @Override
        public void wrote(long time, long bytes) {
            hear(time);
            calls.add(bytes);
        }

        @Override
        public void received(long time, long bytes) {
            hear(time);
            calls.add(-bytes);
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

        List<Long> writes() {
            return calls.stream().filter(bytes -> bytes > 0).toList();
        }
    }

    @Test
    void predictsEveryRecordedRun() throws Exception {
        for (KernelModelTest.Pattern recorded : KernelModelTest.patterns()) {
            KernelModelTest.Setting setting = recorded.setting();
            Predict.Settings settings = new Predict.Settings(setting.size(), setting.chunk(), setting.sndbuf(),
                    setting.readSize(), SECOND, null, 3 * SECOND, null, USUAL);
            Recorder recorder = new Recorder();
            Predict.Run run = Predict.simulate(settings, setting.strategy(), recorder);
            assertEquals(recorded, KernelModelTest.Pattern.of(setting, recorded.effectiveSndbuf(), recorder.calls));
            assertEquals(recorded.reads(), run.reads());
        }
    }

    /** The times and writes of the seed, measured at a read of 20 KiB each second. */
    @Test
    void predictsTheSeed() throws Exception {
        List<Long> nonblocking = new ArrayList<>(List.of(219264L));
        nonblocking.addAll(Collections.nCopies(22, 36544L));
        nonblocking.add(25344L);
        assertSeed(Predict.Strategy.BLOCKING, 44, List.of(1048576L));
        assertSeed(Predict.Strategy.NONBLOCKING, 41, nonblocking);
        assertSeed(Predict.Strategy.POLL, 44, List.of(219264L, 182720L, 182720L, 182720L, 182720L, 98432L));
    }

    private static void assertSeed(Predict.Strategy strategy, long seconds, List<Long> writes) throws Exception {
        Recorder recorder = new Recorder();
        Predict.Run run = Predict.simulate(settings(1 << 20, 1 << 20, 20480), strategy, recorder);
        assertEquals(seconds * SECOND, run.acceptedTime());
        assertEquals(writes, recorder.writes());
    }

    /** Without an observer whole cycles are skipped and reads taken together; the figures must not show it. */
    @Test
    void shortcutsChangeNothing() throws Exception {
        Random random = new Random(5);
        for (int i = 0; i < 300; i++) {
            long chunk = 1 + random.nextInt(1 << 1 + random.nextInt(20));
            long readSize = 1 + random.nextInt(1 << 1 + random.nextInt(16));
            Long sndbuf = random.nextBoolean() ? null : Long.valueOf(1 + random.nextInt(1 << 12 + random.nextInt(8)));
            Long heartbeat = random.nextBoolean() ? null : Long.valueOf(anyPeriod(random));
            Long giveUp = random.nextInt(3) > 0 ? null : Long.valueOf(SECOND * (1 + random.nextInt(40)));
            long interval = random.nextInt(4) * SECOND * (random.nextInt(20) == 0 ? 10 : 1);
            long size = Math.min(20_000 * Math.min(chunk, readSize), 1 << 23);
            Predict.Settings settings = new Predict.Settings(size, chunk, sndbuf, readSize, interval, heartbeat,
                    anyPeriod(random), giveUp, USUAL);
            for (Predict.Strategy strategy : Predict.Strategy.values()) {
                Recorder recorder = new Recorder();
                Predict.Run run = Predict.simulate(settings, strategy, recorder);
                assertEquals(run, Predict.simulate(settings, strategy, null), settings.toString());
                assertEquals(run.writes(), recorder.writes().size());
                assertEquals(run.reads(), recorder.calls.size() - recorder.writes().size());
                assertEquals(run.bytes(), recorder.writes().stream().mapToLong(Long::longValue).sum());
                assertEquals(0, recorder.calls.stream().mapToLong(Long::longValue).sum());
                assertEquals(heartbeat == null ? 0 : run.beatsRun(), recorder.beats);
                assertTrue(run.error() != null || run.bytes() == settings.size());
            }
        }
    }

    private static long anyPeriod(Random random) {
        return SECOND * (1 + random.nextInt(6)) / (1 + random.nextInt(6));
    }

    @ParameterizedTest
    @CsvSource({"1099511627776, 1048576, 20480, 53687091", "1073741824, 1, 20480, 0"})
    void longRunsArePredictedAtOnceInLittleMemory(long size, long chunk, long readSize, long seconds) throws Exception {
        try (Kit kit = new Kit()) {
            long began = System.nanoTime();
            Kit.Running predict = kit.run(JAVA, "-Xmx24m", "-XX:+UseSerialGC", "-cp", CLASS_PATH, "Predict",
                    "--page-size=4k", "--wmem-default=212992", "--wmem-max=4m", "--size=" + size, "--chunk=" + chunk,
                    "--read-size=" + readSize);
            assertEquals(0, predict.await(), () -> predict.err().toString());
            assertTrue(System.nanoTime() - began < 20 * SECOND, "a second, and much for a loaded machine");
        }
        for (Predict.Strategy strategy : Predict.Strategy.values()) {
            Predict.Run run = Predict.simulate(settings(size, chunk, readSize), strategy, null);
            assertEquals(size, run.bytes());
            assertTrue(seconds == 0 || run.deliveredTime() == seconds * SECOND, "all reads are full");
            assertTrue(chunk > 1 || run.writes() == size, "a write for each byte");
        }
    }

    @ParameterizedTest
    @CsvSource({"--size=1024g --chunk=2047m --read-size=20001, nothing repeats in the first",
        "--size=1024g --read-size=1, it would last longer than 292 years",
        "--interval=99999999m, it would last longer than 292 years"})
    void refusesWhatIsTooLongToPredict(String args, String reason) throws Exception {
        assertRefused(1, "too long to predict: " + reason, args.split(" "));
    }

    @Test
    void tellsWhatTheKernelMakesOfAnImpossibleSendBuffer() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running over = predict(kit, "--sndbuf=16m", "--strategy=poll");
            assertEquals(0, over.await());
            assertEquals(List.of("predict: --sndbuf: 16777216 is over net.core.wmem_max, 4194304;"
                    + " the kernel makes it a send buffer of 8388608"), over.err());
            Kit.Running under = predict(kit, "--sndbuf=1", "--strategy=poll");
            assertEquals(0, under.await());
            assertEquals(List.of("predict: --sndbuf: 1 is under the kernel's minimum;"
                    + " the kernel makes it a send buffer of 4608"), under.err());
            Kit.Running least = predict(kit, "--sndbuf=2304", "--strategy=poll");
            assertEquals(0, least.await());
            assertEquals(List.of(), least.err());
            assertEquals(under.out(), least.out());
        }
    }

    @ParameterizedTest
    @CsvSource({"--chunk=0, '0' is not between 1 and 2047m", "--chunk=3g, '3g' is not between 1 and 2047m",
        "--sndbuf=0, '0' is not between 1 and 2047m", "--read-size=0, '0' is not between 1 and 2047m",
        "--size=-1, '-1' is not a size such as 4096", "--size=1t, '1t' is not a size such as 4096",
        "--interval=5, '5' is not a duration such as 100ms", "--timeout=0s, '0s' must be longer",
        "--heartbeat=0ms, '0ms' must be longer", "--max-stall=0s, '0s' must be longer",
        "--strategy=select, 'select' is not blocking, nonblocking or poll",
        "--page-size=5000, --page-size must be a power of two", "--wmem-max=4607, --wmem-max must be at least",
        "--sweep=foo=1, --sweep must be sndbuf, chunk", "--sweep=chunk=1k;0, '0' is not between 1 and 2047m",
        "--size=1 --input=x, --size does not go with --input", "--sweep=chunk=1 --explain, --sweep does not go with",
        "--max-stall=1s --strategy=blocking, --max-stall is for --strategy poll", "extra, Unmatched argument"})
    void usageErrorIsOneLine(String args, String problem) throws Exception {
        assertRefused(2, problem.replace("--wmem-max must", "--wmem-default and --wmem-max must"),
                args.replace(';', ',').split(" "));
    }

    @ParameterizedTest
    @CsvSource({"--input=absent, absent: no such file",
        "--input=., .: is not a regular file; give its length with --size",
        "--input=-, -: is not a regular file; give its length with --size",
        "--export-json=., .: is not a regular file", "--export-json=absent/p.json, its directory does not exist"})
    void fileErrorIsOneLine(String args, String problem) throws Exception {
        assertRefused(1, problem, args);
    }

    /** One line on standard error, nothing on standard output, the given status. */
    private static void assertRefused(int status, String problem, String... args) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = predict(kit, args);
            assertEquals(status, predict.await());
            assertEquals(1, predict.err().size(), () -> predict.err().toString());
            assertTrue(predict.err().get(0).startsWith("predict: "), predict.err().get(0));
            assertTrue(predict.err().get(0).contains(problem), predict.err().get(0));
            assertEquals(List.of(), predict.out());
        }
    }

    /** The times are the seed's, and 52 reads, one each second, deliver 1 MiB at 51 s. */
    @Test
    void printsATable() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = predict(kit);
            assertEquals(0, predict.await());
            assertEquals(List.of(), predict.err());
            assertEquals(List.of("strategy     writes  accepted  delivered  longest stall  polls",
                    "blocking          1      44 s       51 s           44 s      -",
                    "nonblocking      24      41 s       51 s            2 s      -",
                    "poll              6      44 s       51 s            9 s     20"), predict.out());
        }
    }

    @Test
    void takesTheLengthOfAFile() throws Exception {
        try (Kit kit = new Kit()) {
            Files.write(kit.dir.resolve("data"), new byte[300_000]);
            Kit.Running file = predict(kit, "--input=data", "--interval=10ms");
            Kit.Running size = predict(kit, "--size=300000", "--interval=10ms");
            assertEquals(0, file.await());
            assertEquals(0, size.await());
            assertEquals(size.out(), file.out());
        }
    }

    @Test
    void explainsTheFigures() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = predict(kit, "--explain");
            assertEquals(0, predict.await());
            String text = String.join(" ", predict.out()).replaceAll(" +", " ");
            for (String figure : List.of("28 skbs of 36544 and one of 25344", "charged 37120", "6 skbs, 219264 bytes",
                    "read 2, at 1 s", "5 of the 6 skbs must be read, 182720 bytes, by read 9, at 8 s",
                    "then 36544 bytes at 1 s", "then 182720 bytes at 8 s")) {
                assertTrue(text.contains(figure), figure + " in " + text);
            }
            assertTrue(predict.out().stream().allMatch(line -> line.length() <= 80 && line.matches("[ -~]*")));
        }
    }

    @Test
    void explainsWhatFitsWholeAndWhatIsEmpty() throws Exception {
        try (Kit kit = new Kit()) {
            for (String args : List.of("--sndbuf=1m", "--size=0", "--chunk=1 --size=50", "--give-up=100ms")) {
                Kit.Running predict = predict(kit, (args + " --explain").split(" "));
                assertEquals(0, predict.await(), () -> predict.err().toString());
                assertEquals(!args.startsWith("--give-up"), String.join(" ", predict.out()).contains("that is all"));
            }
        }
    }

    @Test
    void sweepHasARowForEachValue() throws Exception {
        try (Kit kit = new Kit()) {
            for (String swept : List.of("sndbuf=4k,64k,1m", "chunk=1k,1m", "read-size=1,1m", "interval=0s,10ms")) {
                String option = swept.split("=")[0];
                String[] values = swept.split("=")[1].split(",");
                Kit.Running sweep = predict(kit, "--strategy=poll", "--read-size=20k", "--sweep=" + swept);
                assertEquals(0, sweep.await(), () -> sweep.err().toString());
                assertEquals(1 + values.length, sweep.out().size());
                for (int i = 0; i < values.length; i++) {
                    Kit.Running single = predict(kit, "--strategy=poll", "--" + option + "=" + values[i]);
                    assertEquals(0, single.await());
                    List<String> row = new ArrayList<>(cells(sweep.out().get(1 + i)));
                    assertEquals(values[i], row.remove(1));
                    assertEquals(cells(single.out().get(1)), row);
                }
            }
        }
    }

    private static List<String> cells(String line) {
        return List.of(line.split(" {2,}"));
    }

    @ParameterizedTest
    @CsvSource({"2s, --size=1g", "10s, --size=1g", "10s, --size=1g --chunk=1048576", "20s, --size=1g --sndbuf=65536",
        "1ms, --size=1m", "300ms, --size=100m --read-size=5000 --interval=100ms"})
    void maxStallIsKept(String limit, String args) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running search = predict(kit, (args + " --max-stall=" + limit).split(" "));
            assertEquals(0, search.await(), () -> search.err().toString());
            String found = search.out().get(0).replaceAll("--(\\S+) (\\d+)", "--$1=$2");
            assertTrue(found.matches("(--sndbuf=\\d+ )?--chunk=\\d+"), found);
            for (String arg : args.split(" ")) {
                assertTrue(!arg.matches("--(sndbuf|chunk)=.*") || found.contains(arg), found + " keeps " + arg);
            }
            String other = args.replaceAll("--(sndbuf|chunk)=\\S+", "");
            Kit.Running check = predict(kit, (other + " --strategy=poll " + found).split(" +"));
            assertEquals(0, check.await(), () -> check.err().toString());
            assertEquals(search.out().subList(1, 3), check.out());
            double seconds = Double.parseDouble(cells(check.out().get(1)).get(4).replace(" s", ""));
            assertTrue(seconds * SECOND < new Predict.DurationConverter().convert(limit), check.out().get(1));
        }
    }

    @Test
    void maxStallSaysWhyItIsNotPossible() throws Exception {
        assertRefused(1, "--max-stall: not possible: only a read makes room, and the reader pauses 1 s after each",
                "--size=1g", "--max-stall=1s");
        assertRefused(1, "of the 1 pairs of --sndbuf and --chunk tried, the best has a longest stall of 9 s",
                "--size=1m", "--chunk=1m", "--sndbuf=106496", "--max-stall=9s");
    }

    @Test
    void exportAgreesWithTheTableAndIsInOrder() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = predict(kit, "--heartbeat=500ms", "--export-json=p.json");
            assertEquals(0, predict.await(), () -> predict.err().toString());
            JsonObject file = JsonParser.parseString(Files.readString(kit.dir.resolve("p.json"))).getAsJsonObject();
            assertEquals("predicted", file.get("kind").getAsString());
            assertEquals(1, file.get("version").getAsInt());
            assertEquals(Set.of("os", "arch", "kernel", "java", "cpus", "page_size", "wmem_default"),
                    file.getAsJsonObject("machine").keySet());
            assertEquals(Set.of("size", "input", "chunk", "sndbuf", "read_size", "interval", "heartbeat", "timeout",
                    "give_up", "connect_timeout", "runs", "deadline"), file.getAsJsonObject("settings").keySet());
            assertEquals(0.5, file.getAsJsonObject("settings").get("heartbeat").getAsDouble());
            JsonArray runs = file.getAsJsonArray("runs");
            assertEquals(3, runs.size());
            for (int i = 0; i < 3; i++) {
                assertAgrees(cells(predict.out().get(1 + i)), runs.get(i).getAsJsonObject());
            }
        }
    }

    private static void assertAgrees(List<String> row, JsonObject run) {
        assertEquals(Set.of("sender", "strategy", "run", "error", "bytes", "delivered", "intact", "accepted_seconds",
                "delivered_seconds", "longest_stall", "writes", "would_block", "polls", "poll_timeouts", "user",
                "system", "process_user", "process_system", "beats_due", "beats_run", "beat_worst", "crc32c", "events"),
                run.keySet());
        assertEquals(row.get(0), run.get("strategy").getAsString());
        assertEquals(row.get(0) + "-sender", run.get("sender").getAsString());
        assertEquals(row.get(1), run.get("writes").getAsString());
        assertEquals(seconds(row.get(2)), run.get("accepted_seconds").getAsDouble());
        assertEquals(seconds(row.get(3)), run.get("delivered_seconds").getAsDouble());
        assertEquals(seconds(row.get(4)), run.get("longest_stall").getAsDouble());
        assertEquals(row.get(5), row.get(0).equals("poll") ? run.get("polls").getAsString() : "-");
        assertEquals(row.get(6), run.get("beats_run").getAsString() + "/" + run.get("beats_due").getAsString());
        assertEquals(seconds(row.get(7)), run.get("beat_worst").getAsDouble());
        assertEquals(row.get(0).equals("nonblocking"), run.get("would_block").isJsonNull(), "a busy loop's tries");
        List<JsonObject> events = new ArrayList<>();
        run.getAsJsonArray("events").forEach(event -> events.add(event.getAsJsonObject()));
        List<Double> times = events.stream().map(event -> event.get("time").getAsDouble()).toList();
        assertEquals(times.stream().sorted().toList(), times);
        assertEquals("connected", events.get(0).get("event").getAsString());
        assertEquals("closed", events.get(events.size() - 1).get("event").getAsString());
        assertEquals(run.get("writes").getAsLong(), named(events, "wrote").count());
        assertEquals(run.get("beats_run").getAsLong(), named(events, "beat").count());
        assertEquals(1048576, named(events, "wrote").mapToLong(event -> event.get("bytes").getAsLong()).sum());
        assertEquals(52, named(events, "received").count());
        assertEquals(1048576, named(events, "received").mapToLong(event -> event.get("bytes").getAsLong()).sum());
        JsonObject done = named(events, "done").findFirst().orElseThrow();
        assertEquals(run.get("accepted_seconds"), done.get("time"));
        assertEquals(run.get("polls"), done.get("polls"));
    }

    private static double seconds(String cell) {
        return Double.parseDouble(cell.replace(" s", ""));
    }

    private static Stream<JsonObject> named(List<JsonObject> events, String name) {
        return events.stream().filter(event -> event.get("event").getAsString().equals(name));
    }

    @Test
    void senderThatGivesUpIsExportedAsFailed() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = predict(kit, "--give-up=3s", "--strategy=poll", "--export-json=-");
            assertEquals(0, predict.await(), () -> predict.err().toString());
            assertEquals("gave up", cells(predict.err().get(1)).get(2), "the table is on standard error");
            JsonObject run = JsonParser.parseString(String.join("\n", predict.out())).getAsJsonObject()
                    .getAsJsonArray("runs").get(0).getAsJsonObject();
            assertEquals("gave up, nothing could be written for 3.000000 s", run.get("error").getAsString());
            assertEquals(219264, run.get("bytes").getAsLong());
            assertTrue(run.get("events").toString().contains("\"time\":3.000000,\"event\":\"failed\""));
        }
    }

    @Test
    void exportReplacesAFileOnlyWhenItIsComplete() throws Exception {
        try (Kit kit = new Kit()) {
            Path file = Files.writeString(kit.dir.resolve("p.json"), "precious");
            Kit.Running refused = predict(kit, "--size=1024g", "--export-json=p.json");
            assertEquals(1, refused.await());
            assertEquals(1, refused.err().size());
            assertTrue(refused.err().get(0).contains("events, more than 1000000; choose a smaller --size"));
            assertEquals("precious", Files.readString(file));
            Files.createSymbolicLink(kit.dir.resolve("link"), Path.of("p.json"));
            assertEquals(0, predict(kit, "--size=1k", "--export-json=link").await());
            assertTrue(Files.readString(file).contains("predicted"));
            assertTrue(Files.isSymbolicLink(kit.dir.resolve("link")));
            try (Stream<Path> files = Files.list(kit.dir)) {
                assertEquals(2, files.count(), "nothing else is left behind");
            }
        }
    }

    @Test
    void fullDiskIsToldInOneLine() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = kit.run("sh", "-c", "exec \"$@\" >/dev/full", "sh", JAVA, "-cp", CLASS_PATH,
                    "Predict", "--export-json=-");
            assertEquals(1, predict.await());
            List<String> lines = predict.err();
            assertEquals("predict: standard output: No space left on device", lines.get(lines.size() - 1));
        }
    }

    /** getconf and the files of /proc tell the same in another way. */
    @Test
    void knowsThisMachine() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running peer = kit.run("sh", "-c",
                    "getconf PAGESIZE; cat /proc/sys/net/core/wmem_default /proc/sys/net/core/wmem_max");
            assertEquals(0, peer.await());
            List<Long> told = peer.out().stream().map(Long::valueOf).toList();
            assertEquals(new Predict.Machine(told.get(0), told.get(1), told.get(2)), Predict.Machine.local());
        }
    }

    /**
     * Real processes, but for the busy loop, which a loaded machine disturbs. No poll timeout ends together with a
     * pause of the reader, so chance does not order them.
     */
    @ParameterizedTest
    @EnumSource(value = Predict.Strategy.class, names = {"BLOCKING", "POLL"})
    void realRunsTakeAsLongAsPredicted(Predict.Strategy strategy) throws Exception {
        long interval = SECOND / 2;
        long timeout = 7 * SECOND / 10;
        Predict.Settings settings = new Predict.Settings(400_000, 1 << 20, null, 20480, interval, null, timeout, null,
                Predict.Machine.local());
        Recorder recorder = new Recorder();
        Predict.Run run = Predict.simulate(settings, strategy, recorder);
        try (Kit kit = new Kit()) {
            kit.receiver("--interval=500ms");
            List<String> args = new ArrayList<>(List.of("--size=400000", "--json"));
            if (strategy == Predict.Strategy.POLL) {
                args.add("--timeout=700ms");
            }
            Kit.Running sender = kit.script(strategy + "-sender", args.toArray(String[]::new));
            assertEquals(0, sender.await(), () -> sender.err().toString());
            List<JsonObject> events = sender.out().stream().map(line -> JsonParser.parseString(line).getAsJsonObject())
                    .toList();
            List<Long> writes = named(events, "wrote").map(event -> event.get("bytes").getAsLong()).toList();
            assertEquals(recorder.writes(), writes);
            JsonObject done = named(events, "done").findFirst().orElseThrow();
            assertEquals(run.acceptedTime() / 1e9, done.get("seconds").getAsDouble(), interval / 1e9);
            assertEquals(run.polls(), done.get("polls").getAsLong());
        }
    }
}
