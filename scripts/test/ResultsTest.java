import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import results.Comparison;
import results.Csv;
import results.Event;
import results.Events;
import results.Json;
import results.Markdown;

/** The comparison file is written and read to the letter; what cannot be read is one line. */
class ResultsTest {
    @ParameterizedTest
    @ValueSource(strings = {"comparison.json", "prediction.json"})
    void whatIsReadIsWrittenToTheLetter(String name) throws Exception {
        try (Kit kit = new Kit()) {
            Path file = Files.writeString(kit.dir.resolve(name), Samples.text(name));
            assertEquals(Samples.text(name), json(Json.read(file)));
        }
    }

    private static String json(Comparison comparison) throws IOException {
        StringWriter out = new StringWriter();
        Json.write(comparison, out);
        return out.toString();
    }

    /** The events of a predicted run, made anew. */
    @Test
    void eventsHaveTheKeysOfTheFile() throws Exception {
        try (Kit kit = new Kit()) {
            Path file = Files.writeString(kit.dir.resolve("p.json"), Samples.text("prediction.json"));
            Comparison read = Json.read(file);
            List<Comparison.Run> runs = new ArrayList<>();
            for (Comparison.Run run : read.runs()) {
                List<Event> events = new ArrayList<>();
                run.events().forEach(event -> events.add(made(run, event)));
                runs.add(new Comparison.Run(run.who(), run.outcome(), run.times(), run.calls(), run.cpu(), run.beats(),
                        run.checksum(), Events.of(events)));
            }
            assertEquals(Samples.text("prediction.json"),
                    json(new Comparison(read.kind(), read.version(), read.machine(), read.settings(), runs)));
        }
    }

    private static Event made(Comparison.Run run, Event like) {
        BigDecimal time = like.time();
        return switch (like.event()) {
            case "connected" -> Event.connected(time, whole(like, "sndbuf"), whole(like, "chunk"));
            case "wrote" -> Event.wrote(time, whole(like, "bytes"), whole(like, "total"));
            case "received" -> Event.received(time, whole(like, "bytes"), whole(like, "total"));
            case "beat" -> Event.beat(time, like.number("late"));
            case "done" -> Event.done(time, whole(like, "bytes"), run.calls(), time, run.cpu(), null, run.beats());
            case "closed" -> Event.closed(time, whole(like, "bytes"), whole(like, "reads"), time, null);
            default -> throw new AssertionError(like);
        };
    }

    private static long whole(Event event, String key) {
        return event.number(key).longValueExact();
    }

    @Test
    void eventsAreWrittenOneAtATime() throws Exception {
        try (Kit kit = new Kit()) {
            Comparison one = Json.read(Samples.write(kit, "c.json", Samples.measured()));
            Comparison.Run run = one.runs().get(0);
            StringWriter out = new StringWriter();
            Events events = sink -> {
                for (int i = 0; i < 1000; i++) {
                    int before = out.getBuffer().length();
                    sink.accept(Event.failed(BigDecimal.ZERO, "some reason", i));
                    assertTrue(out.getBuffer().substring(before).contains("some reason"), "before the next is made");
                }
            };
            Json.write(new Comparison(one.kind(), one.version(), one.machine(), one.settings(),
                    List.of(new Comparison.Run(run.who(), run.outcome(), run.times(), run.calls(), run.cpu(),
                            run.beats(), run.checksum(), events))), out);
        }
    }

    @Test
    void csvHasALineForEachRun() throws Exception {
        try (Kit kit = new Kit()) {
            JsonObject comparison = Samples.measured();
            Samples.run(comparison, 0).addProperty("error", "said \"no\", and ended");
            StringWriter out = new StringWriter();
            Csv.write(Json.read(Samples.write(kit, "c.json", comparison)).runs(), out);
            List<String> lines = out.toString().lines().toList();
            assertEquals("sender,strategy,run,error,bytes,delivered,intact,accepted_seconds,delivered_seconds,"
                    + "longest_stall,writes,would_block,polls,poll_timeouts,user,system,process_user,process_system,"
                    + "beats_due,beats_run,beat_worst,crc32c", lines.get(0));
            assertTrue(lines.get(1).startsWith("blocking-sender,blocking,1,\"said \"\"no\"\", and ended\",1048576,"));
            assertTrue(lines.get(3).startsWith("poll-sender,poll,1,,1048576,1048576,true,4.43"), lines.get(3));
            assertEquals(4, lines.size());
        }
    }

    @Test
    void markdownIsATable() throws IOException {
        StringWriter out = new StringWriter();
        Markdown.write(List.of("", "a|b", "c"), List.of(List.of("  writes", "1", "")), out);
        assertEquals("|  | a\\|b | c |\n|:---|---:|---:|\n| writes | 1 |  |\n", out.toString());
    }

    private static final String NO_COMPARISON =
            "is not a comparison; make one with compare --export-json or predict --export-json";

    @Test
    void filesThatAreNoComparison() throws Exception {
        try (Kit kit = new Kit()) {
            assertUnreadable(kit, "no such file");
            Files.createDirectory(kit.dir.resolve("bad.json"));
            assertUnreadable(kit, "Is a directory");
            Files.delete(kit.dir.resolve("bad.json"));
            for (String empty : List.of("", " \n")) {
                Files.writeString(kit.dir.resolve("bad.json"), empty);
                assertUnreadable(kit, "is empty; export it again");
            }
            for (String other : List.of("bytes,seconds\n", "[1, 2]", "null", "{}", "{\"kind\": 1}",
                    "{\"kind\": \"measured\"}",
                    "{\"kind\":\"measured\",\"version\":\"one\",\"settings\":{},\"runs\":[]}", "{\"kind\": nothing}",
                    "{\"time\":1.0,\"event\":\"done\"}\n{\"time\":2.0,\"event\":\"done\"}\n")) {
                Files.writeString(kit.dir.resolve("bad.json"), other);
                assertUnreadable(kit, NO_COMPARISON);
            }
            Files.write(kit.dir.resolve("bad.json"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 0});
            assertUnreadable(kit, NO_COMPARISON);
            for (String member : List.of("kind", "version", "settings", "runs")) {
                JsonObject lacking = Samples.measured();
                lacking.remove(member);
                Samples.write(kit, "bad.json", lacking);
                assertUnreadable(kit, NO_COMPARISON);
            }
            for (String member : List.of("sender", "events")) {
                JsonObject lacking = Samples.measured();
                Samples.run(lacking, 1).remove(member);
                Samples.write(kit, "bad.json", lacking);
                assertUnreadable(kit, NO_COMPARISON);
            }
            for (String member : List.of("time", "event", "bytes")) {
                JsonObject lacking = Samples.measured();
                Samples.events(Samples.run(lacking, 1), "wrote").findFirst().orElseThrow().remove(member);
                Samples.write(kit, "bad.json", lacking);
                assertUnreadable(kit, NO_COMPARISON);
            }
        }
    }

    /** Wherever it is cut. */
    @Test
    void truncatedFile() throws Exception {
        try (Kit kit = new Kit()) {
            String whole = Samples.measured().toString();
            for (int length = 1; length < whole.length(); length += 1009) {
                Files.writeString(kit.dir.resolve("bad.json"), whole.substring(0, length));
                assertUnreadable(kit, "ends in the middle; export it again");
            }
            Files.writeString(kit.dir.resolve("bad.json"), whole.substring(0, whole.length() - 1));
            assertUnreadable(kit, "ends in the middle; export it again");
        }
    }

    @Test
    void newerVersion() throws Exception {
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve("bad.json"), "{\"kind\": \"counted\", \"version\": 2, \"runs\": {}}");
            assertUnreadable(kit, "has version 2 of the format, this plot reads version 1;"
                    + " use the plot that came with the script that wrote it");
        }
    }

    private static void assertUnreadable(Kit kit, String message) {
        Path file = kit.dir.resolve("bad.json");
        FileSystemException e = assertThrows(FileSystemException.class, () -> Json.read(file));
        assertEquals(file + ": " + message, e.getMessage());
    }

}
