import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many readers in a comparison, some of them stuck: who is served, what is told of it, and how it can end. */
class CrowdTest {
    private static final List<String> WAYS = Runtime.version().feature() < 21
            ? List.of("blocking", "poll", "threads") : List.of("blocking", "poll", "threads", "virtual");

    /** By so many the threads of two JVMs differ that do the same. */
    private static final double JVM_THREADS = 3;

    static Stream<JsonObject> runs(JsonObject file) {
        return file.getAsJsonArray("runs").asList().stream().map(JsonElement::getAsJsonObject);
    }

    private static List<Long> numbers(JsonElement array) {
        return array.getAsJsonArray().asList().stream().map(JsonElement::getAsLong).toList();
    }

    private static JsonObject delivery(JsonObject run) {
        return run.getAsJsonObject("delivery");
    }

    /** Of ten readers the sixth is stuck: a loop that blocks serves the five before it, everybody else serves all. */
    @Test
    void stuckReaderHarmsOthersInTheBlockingLoopAlone() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--readers", "10", "--deadline", "3s", "--export-json",
                    "a.json", "--export-csv", "a.csv", "--export-markdown", "a.md");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            JsonObject file = CompareFiguresTest.json(kit, "a.json");
            assertEquals(WAYS, runs(file).map(run -> run.get("way").getAsString()).toList());
            for (JsonObject run : runs(file).toList()) {
                boolean blocking = run.get("way").getAsString().equals("blocking");
                assertTrue(run.get("error").isJsonNull());
                assertEquals(blocking ? 5 : 9, delivery(run).get("served").getAsInt(), run.toString());
                assertEquals(!blocking, delivery(run).get("stopped_seconds").isJsonNull());
                assertEquals(blocking, delivery(run).get("bytes_per_second").isJsonNull());
                assertProgress(run, blocking ? 5 : 10);
            }
            assertCosts(runs(file).toList());
            assertTables(kit, compare, runs(file).toList());
        }
    }

    /** The numbers of the readers that have everything are all but 6, up to the last. */
    private static void assertProgress(JsonObject run, int last) {
        long delivered = 0;
        int reader = 0;
        int times = run.getAsJsonObject("progress").getAsJsonArray("times").size();
        for (JsonElement element : run.getAsJsonObject("progress").getAsJsonArray("readers")) {
            JsonObject progress = element.getAsJsonObject();
            List<Long> bytes = numbers(progress.get("bytes"));
            assertEquals(++reader, progress.get("reader").getAsInt());
            assertEquals(reader == 6, progress.get("stuck").getAsBoolean());
            assertEquals(times, bytes.size());
            assertEquals(bytes.stream().sorted().toList(), bytes);
            assertEquals(0, bytes.get(0));
            long end = bytes.get(times - 1);
            assertEquals(reader == 6 || reader > last ? 0 : 1 << 20, end, run.get("way") + ", reader " + reader);
            delivered += end;
        }
        assertEquals(10, reader);
        assertTrue(times <= 200, times + " times");
        assertEquals(delivered, delivery(run).get("bytes").getAsLong());
        assertTrue(delivery(run).get("served_seconds").getAsDouble()
                <= run.getAsJsonObject("progress").getAsJsonArray("times").get(times - 1).getAsDouble());
    }

    /** A thread a reader is ten more than none; virtual threads share a few. */
    private static void assertCosts(List<JsonObject> runs) {
        Map<String, JsonObject> costs = runs.stream().collect(Collectors.toMap(
                run -> run.get("way").getAsString(), run -> run.getAsJsonObject("cost")));
        costs.forEach((way, cost) -> {
            assertTrue(cost.get("peak_memory").getAsLong() > 10 << 20, cost.toString());
            assertTrue(cost.get("user").getAsDouble() >= 0 && cost.get("system").getAsDouble() >= 0);
        });
        int base = costs.get("blocking").get("threads").getAsInt();
        assertEquals(base, costs.get("poll").get("threads").getAsInt(), JVM_THREADS);
        assertEquals(base + 10, costs.get("threads").get("threads").getAsInt(), JVM_THREADS);
    }

    private static void assertTables(Kit kit, Kit.Running compare, List<JsonObject> runs) throws Exception {
        List<String> out = compare.out();
        assertTrue(out.stream().allMatch(line -> line.length() <= 80), out::toString);
        assertTrue(out.get(1).matches("blocking +10 +5/9 .*") && out.get(2).matches("poll +10 +9/9 .*"), out::toString);
        String text = String.join(" ", out);
        assertTrue(text.matches(".*Of 10 readers, 1 never reads; of the 9 others blocking serves 5 until it is stopped"
                + " after 3.0\\d\\d s, poll serves all in .*"), text);
        assertTrue(text.contains("Every byte arrived in order at each reader that was served."), text);
        List<String> csv = Files.readAllLines(kit.dir.resolve("a.csv"));
        assertEquals(runs.size() + 1, csv.size());
        assertTrue(csv.get(0).startsWith("way,readers,stuck,error,served,"), csv.get(0));
        assertTrue(csv.get(1).startsWith("blocking,10,1,,5,"), csv.get(1));
        List<String> markdown = Files.readAllLines(kit.dir.resolve("a.md"));
        assertEquals(runs.size() + 2, markdown.size());
        assertTrue(markdown.get(2).startsWith("| blocking | 10 | 5/9 |"), markdown.get(2));
    }

    /** What the kernel queues for a reader can as well lie there: nobody notices that it never reads. */
    @Test
    void listOfNumbersLeavesOneReaderAtLeastAndSmallStreamsSuitAll() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--readers", "5,1,5", "--stuck", "2", "--size", "100k",
                    "--chunk", "7k", "--export-json", "-");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            JsonObject file = JsonParser.parseString(String.join("\n", compare.out())).getAsJsonObject();
            assertEquals(Stream.of(1, 5).flatMap(readers -> WAYS.stream().map(way -> way + readers)).toList(),
                    runs(file).map(run -> run.get("way").getAsString() + run.get("readers")).toList());
            for (JsonObject run : runs(file).toList()) {
                int readers = run.get("readers").getAsInt();
                assertEquals(readers == 1 ? 0 : 2, run.get("stuck").getAsInt());
                assertEquals(readers == 1 ? 1 : 3, delivery(run).get("served").getAsInt(), run.toString());
                assertTrue(delivery(run).get("stopped_seconds").isJsonNull());
            }
        }
    }

    /** A stuck reader is dropped from the ring when it has held up everybody; the bytes of all others go through it. */
    @Test
    void streamLargerThanTheRingReachesAllOthers() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--readers", "20", "--stuck", "3", "--size", "4m",
                    "--chunk", "100k", "--deadline", "10s", "--export-json", "a.json");
            assertEquals(0, compare.await(100), () -> compare.err().toString());
            assertEquals(WAYS.stream().map(way -> way.equals("blocking") ? 0 : 17).toList(),
                    runs(CompareFiguresTest.json(kit, "a.json"))
                            .map(run -> delivery(run).get("served").getAsInt()).toList());
        }
    }

    /** The writer is not ours: of four readers one gets another byte, one too much, and one not all. */
    @Test
    void readersSeeWhatIsNotAsItWasSent() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running writer = kit.python("""
                    import socket
                    server = socket.socket(socket.AF_UNIX)
                    server.bind("s")
                    server.listen(8)
                    print("listening", flush=True)
                    data = bytes(p % 251 for p in range(5000))
                    readers = [server.accept()[0] for i in range(4)]
                    for reader, sent in zip(readers, [data, data[:9] + b"x" + data[10:], data + b"x", data[:4999]]):
                        reader.sendall(sent)
                        reader.close()
                    """);
            writer.awaitOut("listening"::equals);
            Kit.Running readers = kit.run(System.getProperty("java.home") + "/bin/java", "-cp",
                    System.getProperty("java.class.path"), "crowd.ReaderProcess", "s", "4", "0", "5000",
                    Long.toString(TimeUnit.SECONDS.toNanos(60)));
            assertEquals(0, readers.await(), () -> readers.err().toString());
            JsonObject report = JsonParser.parseString(readers.out().get(0)).getAsJsonObject();
            assertEquals("2 readers got other bytes than were sent", report.get("error").getAsString());
            assertEquals(1, delivery(report).get("served").getAsInt());
            assertEquals(5000 + 5000 + 5001 + 4999, delivery(report).get("bytes").getAsInt());
        }
    }

    @Test
    void virtualThreadsAreLeftOutWhereThereAreNone() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--readers", "1", "--size", "1k");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            assertEquals(WAYS.size() == 4 ? List.of() : List.of("compare: virtual is left out: it needs JDK 21 or"
                    + " later; this is " + Runtime.version().feature()),
                    compare.err().stream().filter(line -> line.startsWith("compare:")).toList());
            assertEquals(WAYS.size() == 4, compare.out().stream().anyMatch(line -> line.startsWith("virtual ")));
        }
    }

    @Test
    void tooManyReadersForTheDescriptorsAreRefusedAtOnce() throws Exception {
        try (Kit kit = new Kit()) {
            List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -n 256; exec \"$@\"", "sh"));
            command.addAll(CompareTest.command(kit, "--readers", "10,1000", "--export-json", "a.json"));
            Kit.Running compare = kit.run(command.toArray(String[]::new));
            assertEquals(1, compare.await());
            assertEquals(List.of("compare: --readers: 1000 readers take 1064 open files in a process, and the limit is"
                    + " 256; raise it with ulimit -n, or ask for fewer"), compare.err());
            assertEquals(List.of(), compare.out());
            assertEquals(List.of(), CompareTest.files(kit));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--readers 0", "--readers 1,x", "--readers=", "--stuck 2", "--stuck 10 --readers 10",
        "--stuck x --readers 3", "--command a=b --readers 3", "--sender poll --readers 3", "--interval 1s --readers 3",
        "--runs 2 --readers 3", "--heartbeat 1s --readers 3", "--stall-after 1m --readers 3"})
    void usageErrorNamesTheOption(String args) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, args.split(" "));
            assertEquals(2, compare.await());
            assertEquals(1, compare.err().size(), () -> compare.err().toString());
            String option = args.split("[ =]")[0];
            String line = compare.err().get(0);
            assertTrue(line.matches("compare: .*" + option + ".* \\(see --help\\)"), line);
        }
    }

    /** The first number of readers is done, and of the second the blocking loop hangs when the signal comes. */
    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143", "KILL, 137"})
    void stoppedComparisonLeavesNothing(String signal, int status) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--readers", "1,30", "--deadline", "10m",
                    "--export-json", "a.json");
            CompareTest.await(() -> {
                try (Stream<Path> files = Files.walk(kit.dir)) {
                    return files.anyMatch(file -> file.endsWith((WAYS.size() + 1) + "/reader.out"));
                } catch (IOException | UncheckedIOException e) {
                    return false; // a file went while it was listed
                }
            });
            List<ProcessHandle> descendants = compare.process.descendants().toList();
            assertTrue(descendants.size() >= 3, descendants.toString());
            compare.signal(signal);
            assertEquals(status, compare.await());
            CompareTest.await(() -> descendants.stream().noneMatch(ProcessHandle::isAlive));
            if (!signal.equals("KILL")) {
                assertEquals(List.of(), CompareTest.files(kit));
                assertEquals(WAYS, IntStream.rangeClosed(1, WAYS.size()).mapToObj(compare.out()::get)
                        .map(row -> row.split(" ")[0]).toList());
                String out = String.join("\n", compare.out());
                assertFalse(out.contains(" 30 "), out);
            }
        }
    }
}
