import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The comparison file that predict writes. */
class PredictExportTest {
    @Test
    void exportAgreesWithTheTableAndIsInOrder() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = PredictTest.predict(kit, "--heartbeat=500ms", "--export-json=p.json");
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
            assertEquals(4, runs.size());
            for (int i = 0; i < 4; i++) {
                assertAgrees(PredictTest.cells(predict.out().get(1 + i)), runs.get(i).getAsJsonObject());
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
            Kit.Running predict = PredictTest.predict(kit, "--give-up=3s", "--strategy=poll", "--export-json=-");
            assertEquals(0, predict.await(), () -> predict.err().toString());
            assertEquals("gave up", PredictTest.cells(predict.err().get(1)).get(2), "the table is on standard error");
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
            Kit.Running refused = PredictTest.predict(kit, "--size=1024g", "--export-json=p.json");
            assertEquals(1, refused.await());
            assertEquals(1, refused.err().size());
            assertTrue(refused.err().get(0).contains("events, more than 1000000; choose a smaller --size"));
            assertEquals("precious", Files.readString(file));
            Files.createSymbolicLink(kit.dir.resolve("link"), Path.of("p.json"));
            assertEquals(0, PredictTest.predict(kit, "--size=1k", "--export-json=link").await());
            assertTrue(Files.readString(file).contains("predicted"));
            assertTrue(Files.isSymbolicLink(kit.dir.resolve("link")));
            try (Stream<Path> files = Files.list(kit.dir)) {
                assertEquals(2, files.count(), "nothing else is left behind");
            }
        }
    }

    /** The machine is not this one, so nothing of this kernel is said of it. */
    @Test
    void exportForAnotherArchitectureNamesIt() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = kit.script("predict", "--arch=ppc64le", "--strategy=poll", "--export-json=-");
            assertEquals(0, predict.await(), () -> predict.err().toString());
            JsonObject machine = JsonParser.parseString(String.join("\n", predict.out())).getAsJsonObject()
                    .getAsJsonObject("machine");
            assertEquals("ppc64le", machine.get("arch").getAsString());
            assertEquals(65536, machine.get("page_size").getAsLong());
            assertEquals(229376, machine.get("wmem_default").getAsLong());
            assertTrue(machine.get("kernel").isJsonNull());
        }
    }

    @Test
    void eventsShowTheStallsOfTheReader() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = PredictTest.predict(kit, "--size=100000", "--strategy=poll", "--stall-every=40k",
                    "--resume-after=10s", "--first-read-delay=500ms", "--export-json=-");
            assertEquals(0, predict.await(), () -> predict.err().toString());
            List<JsonObject> events = new ArrayList<>();
            JsonParser.parseString(String.join("\n", predict.out())).getAsJsonObject().getAsJsonArray("runs").get(0)
                    .getAsJsonObject().getAsJsonArray("events").forEach(event -> events.add(event.getAsJsonObject()));
            assertEquals(List.of(0.5, 1.5, 12.5, 13.5, 24.5),
                    named(events, "received").map(event -> event.get("time").getAsDouble()).toList());
        }
    }
}
