import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Comparison files and their parts. comparison.json is what {@code compare --interval 100ms --heartbeat 100ms} exported
 * on Linux 6.18 with Java 17, prediction.json what predict did with the same options.
 */
final class Samples {
    private Samples() { }

    static String text(String name) throws IOException {
        try (InputStream json = Samples.class.getResourceAsStream("/" + name)) {
            return new String(json.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    static JsonObject measured() throws IOException {
        return JsonParser.parseString(text("comparison.json")).getAsJsonObject();
    }

    static JsonObject predicted() throws IOException {
        return JsonParser.parseString(text("prediction.json")).getAsJsonObject();
    }

    static Path write(Kit kit, String name, JsonObject comparison) throws IOException {
        return Files.writeString(kit.dir.resolve(name), comparison.toString());
    }

    static Stream<JsonObject> runs(JsonObject comparison) {
        return comparison.getAsJsonArray("runs").asList().stream().map(JsonElement::getAsJsonObject);
    }

    static JsonObject run(JsonObject comparison, int number) {
        return comparison.getAsJsonArray("runs").get(number).getAsJsonObject();
    }

    /** The events of that name, or all. */
    static Stream<JsonObject> events(JsonObject run, String name) {
        return run.getAsJsonArray("events").asList().stream().map(JsonElement::getAsJsonObject)
                .filter(event -> name == null || event.get("event").getAsString().equals(name));
    }

    static DoubleStream figures(Stream<JsonObject> objects, String member) {
        return objects.mapToDouble(object -> object.get(member).getAsDouble());
    }

    /** Adds what is recorded of a command: nothing from its side. */
    static JsonObject withCommand(JsonObject comparison) {
        JsonObject run = run(comparison, 2).deepCopy();
        run.addProperty("sender", "socat");
        for (String own : List.of("strategy", "accepted_seconds", "writes", "user", "system", "beats_due")) {
            run.add(own, JsonNull.INSTANCE);
        }
        removeEvents(run, event -> event.get("side").getAsString().equals("sender"));
        comparison.getAsJsonArray("runs").add(run);
        return comparison;
    }

    /** Makes the run one that failed after so many seconds. */
    static JsonObject cutShort(JsonObject run, double seconds, String error) {
        run.addProperty("error", error);
        removeEvents(run, event -> event.get("time").getAsDouble() > seconds);
        return run;
    }

    private static void removeEvents(JsonObject run, Predicate<JsonObject> unwanted) {
        List<JsonElement> kept = run.getAsJsonArray("events").asList();
        kept.removeIf(event -> unwanted.test(event.getAsJsonObject()));
    }
}
