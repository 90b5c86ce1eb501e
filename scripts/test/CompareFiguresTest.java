import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A comparison of the three senders: figures, table, exports and events agree, and are those of the seed. */
@Isolated("exact patterns want the machine for themselves")
class CompareFiguresTest {
    private static final Map<String, List<Long>> SEED = Map.of("blocking-sender", List.of(1048576L),
            "nonblocking-sender", Stream.of(List.of(219264L), Collections.nCopies(22, 36544L), List.of(25344L))
                    .flatMap(List::stream).toList(),
            "poll-sender", List.of(219264L, 182720L, 182720L, 182720L, 182720L, 98432L));

    @Test
    void tableExportsAndEventsAgree() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = kit.script("compare", "--interval", "10ms", "--export-json", "a.json",
                    "--export-csv", "a.csv", "--export-markdown", "a.md");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            JsonObject file = json(kit, "a.json");
            assertEquals("measured", file.get("kind").getAsString());
            List<JsonObject> runs = runs(file);
            assertEquals(List.of("blocking-sender", "nonblocking-sender", "poll-sender"),
                    runs.stream().map(run -> text(run, "sender")).toList());
            runs.forEach(CompareFiguresTest::figuresAreThoseOfTheEvents);
            assertEquals(csv(runs), Files.readAllLines(kit.dir.resolve("a.csv")));
            List<List<String>> markdown = Files.readAllLines(kit.dir.resolve("a.md")).stream()
                    .filter(line -> !line.startsWith("|:")).map(line -> line.substring(1).strip().split(" *\\| *"))
                    .map(Arrays::asList).toList();
            List<List<String>> table = compare.out().stream().takeWhile(line -> !line.isEmpty())
                    .map(line -> line.strip().split("  +")).map(Arrays::asList).toList();
            assertEquals(table.subList(1, table.size()), markdown.subList(1, markdown.size()));
            assertEquals(figures(runs), table.stream().filter(row -> !row.get(0).equals("predicted")).toList());
            JsonObject machine = file.getAsJsonObject("machine");
            if (text(machine, "page_size").equals("4096") && text(machine, "wmem_default").equals("212992")) {
                runs.forEach(run -> assertEquals(SEED.get(text(run, "sender")), writes(run)));
                assertEquals(List.of(List.of("predicted", "0.440", "0.410", "0.440"),
                        List.of("predicted", "0.510", "0.510", "0.510"),
                        List.of("predicted", "0.440", "0.020", "0.090"),
                        List.of("predicted", "1", "24", "6")),
                        table.stream().filter(row -> row.get(0).equals("predicted")).toList());
                String out = String.join(" ", compare.out());
                assertTrue(out.contains("The kernel model predicts every write to the byte;"), out);
            } else {
                System.out.println("  another page size or buffer than the seed's: its writes are not expected");
            }
        }
    }

    /** Each figure of a run, made again from its events. */
    private static void figuresAreThoseOfTheEvents(JsonObject run) {
        List<JsonObject> events = StreamSupport.stream(run.getAsJsonArray("events").spliterator(), false)
                .map(JsonElement::getAsJsonObject).toList();
        BigDecimal last = new BigDecimal("-100");
        for (JsonObject event : events) {
            assertTrue(event.get("time").getAsBigDecimal().compareTo(last) >= 0, event::toString);
            last = event.get("time").getAsBigDecimal();
        }
        JsonObject done = events(run, "sender", "done").get(0);
        JsonObject closed = events(run, "receiver", "closed").get(0);
        List<JsonObject> wrote = events(run, "sender", "wrote");
        List<JsonObject> received = events(run, "receiver", "received");
        assertEquals(0, events(run, "sender", "connected").get(0).get("time").getAsBigDecimal().signum());
        same(wrote.get(wrote.size() - 1).get("time"), run.get("accepted_seconds"));
        same(received.get(received.size() - 1).get("time"), run.get("delivered_seconds"));
        BigDecimal before = BigDecimal.ZERO;
        BigDecimal stall = BigDecimal.ZERO;
        for (JsonObject write : wrote) {
            stall = stall.max(write.get("time").getAsBigDecimal().subtract(before));
            before = write.get("time").getAsBigDecimal();
        }
        assertEquals(0, stall.compareTo(run.get("longest_stall").getAsBigDecimal()));
        assertEquals(1048576, writes(run).stream().mapToLong(n -> n).sum());
        assertEquals(1048576, received.stream().mapToLong(read -> read.get("bytes").getAsLong()).sum());
        assertEquals(wrote.size(), run.get("writes").getAsInt());
        assertEquals(events(run, "sender", "beat").size(), run.get("beats_run").getAsInt());
        for (String name : List.of("bytes", "writes", "would_block", "polls", "poll_timeouts", "user", "system",
                "beats_due", "beats_run", "beat_worst", "crc32c")) {
            same(done.get(name), run.get(name));
        }
        same(closed.get("bytes"), run.get("delivered"));
        same(closed.get("crc32c"), run.get("crc32c"));
        assertTrue(run.get("intact").getAsBoolean());
        assertTrue(run.get("error").isJsonNull());
        assertTrue(run.get("process_user").getAsDouble() >= run.get("user").getAsDouble(), run::toString);
    }

    private static void same(JsonElement expected, JsonElement actual) {
        if (expected.getAsJsonPrimitive().isNumber()) {
            assertEquals(0, expected.getAsBigDecimal().compareTo(actual.getAsBigDecimal()), expected + " " + actual);
        } else {
            assertEquals(expected, actual);
        }
    }

    private static List<String> csv(List<JsonObject> runs) {
        List<String> lines = new ArrayList<>();
        List<String> names = runs.get(0).keySet().stream().filter(name -> !name.equals("events")).toList();
        lines.add(String.join(",", names));
        for (JsonObject run : runs) {
            lines.add(names.stream().map(name -> run.get(name).isJsonNull() ? "" : text(run, name))
                    .collect(Collectors.joining(",")));
        }
        return lines;
    }

    /** The table without what is predicted. */
    private static List<List<String>> figures(List<JsonObject> runs) {
        double least = runs.stream().mapToDouble(CompareFiguresTest::cpu).min().orElseThrow();
        List<List<String>> rows = new ArrayList<>();
        rows.add(runs.stream().map(run -> text(run, "sender")).toList());
        rows.add(row("accepted, s", runs, run -> rounded(run, "accepted_seconds", 3)));
        rows.add(row("delivered, s", runs, run -> rounded(run, "delivered_seconds", 3)));
        rows.add(row("longest stall, s", runs, run -> rounded(run, "longest_stall", 3)));
        rows.add(row("writes", runs, run -> text(run, "writes")));
        rows.add(row("would-blocks", runs, run -> text(run, "would_block")));
        rows.add(row("polls", runs, run -> text(run, "polls")));
        rows.add(row("sending thread: user, s", runs, run -> rounded(run, "user", 2)));
        rows.add(row("system, s", runs, run -> rounded(run, "system", 2)));
        rows.add(row("CPU, %", runs, run -> rounded(100 * cpu(run) / run.get("accepted_seconds").getAsDouble(), 0)));
        rows.add(row("CPU, times the least", runs, run -> least >= 0.02 || cpu(run) <= 0.02
                ? rounded(Math.max(cpu(run), 0.02) / Math.max(least, 0.02), 1) : ">" + rounded(cpu(run) / 0.02, 1)));
        rows.add(row("process + JVM start: user, s", runs, run -> rounded(run, "process_user", 2)));
        rows.add(row("system, s", runs, run -> rounded(run, "process_system", 2)));
        rows.add(row("heartbeats run/due", runs, run -> text(run, "beats_run") + "/" + text(run, "beats_due")));
        rows.add(row("worst delay, s", runs, run -> rounded(run, "beat_worst", 3)));
        rows.add(row("data intact", runs, run -> "yes"));
        return rows;
    }

    private static List<String> row(String label, List<JsonObject> runs, Function<JsonObject, String> cell) {
        return Stream.concat(Stream.of(label), runs.stream().map(cell)).toList();
    }

    private static double cpu(JsonObject run) {
        return run.get("user").getAsBigDecimal().add(run.get("system").getAsBigDecimal()).doubleValue();
    }

    private static String rounded(JsonObject run, String name, int digits) {
        return run.get(name).getAsBigDecimal().setScale(digits, RoundingMode.HALF_UP).toPlainString();
    }

    private static String rounded(double value, int digits) {
        return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_UP).toPlainString();
    }

    @Test
    void tableShowsMediansOfSeveralRuns() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = kit.script("compare", "--interval", "1ms", "--sender", "poll", "--runs", "3",
                    "--export-json", "a.json", "--export-csv", "a.csv");
            assertEquals(0, compare.await(), () -> compare.err().toString());
            List<JsonObject> runs = runs(json(kit, "a.json"));
            assertEquals(List.of("1", "2", "3"), runs.stream().map(run -> text(run, "run")).toList());
            JsonObject median = runs.stream()
                    .sorted(Comparator.comparing(run -> run.get("accepted_seconds").getAsBigDecimal())).toList().get(1);
            assertEquals(List.of("complete runs", "3/3"), Arrays.asList(compare.out().get(1).split("  +")));
            assertEquals(List.of("accepted, s", rounded(median, "accepted_seconds", 3)),
                    Arrays.asList(compare.out().get(2).split("  +")));
            assertEquals(csv(runs), Files.readAllLines(kit.dir.resolve("a.csv")));
        }
    }

    static JsonObject json(Kit kit, String name) throws Exception {
        return JsonParser.parseString(Files.readString(kit.dir.resolve(name))).getAsJsonObject();
    }

    static List<JsonObject> runs(JsonObject file) {
        return StreamSupport.stream(file.getAsJsonArray("runs").spliterator(), false).map(JsonElement::getAsJsonObject)
                .toList();
    }

    static List<JsonObject> events(JsonObject run, String side, String name) {
        return StreamSupport.stream(run.getAsJsonArray("events").spliterator(), false).map(JsonElement::getAsJsonObject)
                .filter(event -> text(event, "side").equals(side) && text(event, "event").equals(name)).toList();
    }

    static List<Long> writes(JsonObject run) {
        return events(run, "sender", "wrote").stream().map(write -> write.get("bytes").getAsLong()).toList();
    }

    static String text(JsonObject object, String name) {
        return object.get(name).getAsString();
    }
}
