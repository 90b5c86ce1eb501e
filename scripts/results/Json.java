package results;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.EOFException;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import results.Comparison.Beats;
import results.Comparison.Calls;
import results.Comparison.Checksum;
import results.Comparison.Cpu;
import results.Comparison.Machine;
import results.Comparison.Outcome;
import results.Comparison.Run;
import results.Comparison.Sender;
import results.Comparison.Settings;
import results.Comparison.Times;

/** Writes comparison files, in constant memory whatever the number of their events, and reads them. */
public final class Json {
    static final Gson GSON = new GsonBuilder().serializeNulls().setPrettyPrinting()
            .setStrictness(Strictness.STRICT).setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
            .registerTypeAdapter(Run.class, new RunAdapter().nullSafe())
            .registerTypeAdapter(Event.class, new EventAdapter().nullSafe()).create();
    /** A kind of file that is no comparison; its records are not needed to tell. */
    static final String MANY_READERS = "readers";
    /** The newest version that is known, of each kind. */
    private static final int VERSION = Comparison.VERSION;
    private static final String OTHER =
            "is not a comparison; make one with compare --export-json or predict --export-json";

    private Json() { }

    /** Writes a comparison; its events are asked for one after another. */
    public static void write(Comparison comparison, Writer out) throws IOException {
        JsonWriter json = GSON.newJsonWriter(out);
        GSON.toJson(comparison, Comparison.class, json);
        json.flush();
        out.write('\n');
    }

    /** The figures of a run by their keys, without its events. */
    static JsonObject figures(Run run) {
        JsonObject figures = new JsonObject();
        for (Record part : new Record[] {run.who(), run.outcome(), run.times(), run.calls(), run.cpu(), run.beats(),
            run.checksum()}) {
            for (Map.Entry<String, JsonElement> figure : keys(part).entrySet()) {
                figures.add(figure.getKey(), figure.getValue());
            }
        }
        return figures;
    }

    static JsonObject keys(Record part) {
        return GSON.toJsonTree(part).getAsJsonObject();
    }

    /**
     * Reads a comparison file, with its events in memory.
     *
     * @throws FileSystemException with a line for the user: it cannot be read, is cut off, or is no comparison
     */
    public static Comparison read(Path file) throws FileSystemException {
        return read(file, Comparison.class, Json::isComplete, OTHER);
    }

    /** Reads a file of some kind; what to say of another is the last argument. */
    static <T> T read(Path file, Class<T> type, Predicate<T> isComplete, String other) throws FileSystemException {
        String text = text(file, other);
        if (text.isEmpty()) {
            throw problem(file, "is empty; export it again");
        }
        try {
            Header header = GSON.fromJson(text, Header.class);
            if (header != null && header.kind != null && header.version != null && header.version > VERSION) {
                throw problem(file, "has version " + header.version + " of the format, this plot reads version "
                        + VERSION + "; use the plot that came with the script that wrote it");
            }
            if (header != null && MANY_READERS.equals(header.kind) && type == Comparison.class) {
                throw problem(file, "is of many readers; its charts are readers and scale");
            }
            T result = GSON.fromJson(text, type);
            if (result == null || !isComplete.test(result)) {
                throw problem(file, other);
            }
            return result;
        } catch (JsonParseException e) {
            boolean cut = text.startsWith("{") && (!text.endsWith("}") || e.getCause() instanceof EOFException);
            throw problem(file, cut ? "ends in the middle; export it again" : other);
        }
    }

    /** What is looked at first, as the rest may look different in another version. */
    private record Header(String kind, Integer version) { }

    private static String text(Path file, String other) throws FileSystemException {
        try {
            return Files.readString(file).strip();
        } catch (NoSuchFileException e) {
            throw problem(file, "no such file");
        } catch (AccessDeniedException e) {
            throw problem(file, "cannot be read");
        } catch (FileSystemException e) {
            throw problem(file, e.getReason());
        } catch (CharacterCodingException e) {
            throw problem(file, other);
        } catch (IOException e) {
            throw problem(file, e.getMessage());
        }
    }

    private static boolean isComplete(Comparison comparison) {
        return Set.of(Comparison.MEASURED, Comparison.PREDICTED).contains(String.valueOf(comparison.kind()))
                && comparison.version() == Comparison.VERSION && comparison.settings() != null
                && comparison.runs() != null && comparison.runs().stream().allMatch(Json::isComplete);
    }

    private static boolean isComplete(Run run) {
        return run != null && run.events() != null && run.who().sender() != null && !run.who().sender().isBlank();
    }

    private static FileSystemException problem(Path file, String what) {
        return new FileSystemException(file.toString(), null, what);
    }

    /** The parts of a run beside each other in one object. */
    private static class RunAdapter extends TypeAdapter<Run> {
        @Override
        public void write(JsonWriter json, Run run) throws IOException {
            json.beginObject();
            for (Map.Entry<String, JsonElement> figure : figures(run).entrySet()) {
                json.name(figure.getKey());
                GSON.toJson(figure.getValue(), json);
            }
            json.name("events").beginArray();
            run.events().forEach(event -> GSON.getAdapter(Event.class).write(json, event));
            json.endArray().endObject();
        }

        @Override
        public Run read(JsonReader json) throws IOException {
            JsonObject figures = new JsonObject();
            List<Event> events = null;
            for (json.beginObject(); json.hasNext();) {
                String key = json.nextName();
                if (key.equals("events")) {
                    events = events(json);
                } else {
                    figures.add(key, GSON.getAdapter(JsonElement.class).read(json));
                }
            }
            json.endObject();
            return new Run(part(figures, Sender.class), part(figures, Outcome.class), part(figures, Times.class),
                    part(figures, Calls.class), part(figures, Cpu.class), part(figures, Beats.class),
                    part(figures, Checksum.class), events == null ? null : Events.of(events));
        }

        private static <T> T part(JsonObject figures, Class<T> type) {
            return GSON.fromJson(figures, type);
        }

        private static List<Event> events(JsonReader json) throws IOException {
            List<Event> events = new ArrayList<>();
            for (json.beginArray(); json.hasNext();) {
                events.add(GSON.getAdapter(Event.class).read(json));
            }
            json.endArray();
            return events;
        }
    }

    /** An event with its details beside its name. */
    private static class EventAdapter extends TypeAdapter<Event> {
        @Override
        public void write(JsonWriter json, Event event) throws IOException {
            json.beginObject().name("side").value(event.side()).name("time").value(event.time())
                    .name("event").value(event.event());
            for (Map.Entry<String, JsonElement> detail : event.details().entrySet()) {
                json.name(detail.getKey());
                GSON.toJson(detail.getValue(), json);
            }
            json.endObject();
        }

        @Override
        public Event read(JsonReader json) throws IOException {
            JsonObject details = GSON.getAdapter(JsonObject.class).read(json);
            Event event = new Event(take(details, "side", String.class), take(details, "time", BigDecimal.class),
                    take(details, "event", String.class), details);
            if (event.time() == null || event.event() == null || !switch (event.event()) {
                case "wrote", "received" -> event.number("bytes") != null && event.number("bytes").signum() > 0;
                case "beat" -> event.number("late") != null;
                default -> true;
            }) {
                throw new JsonParseException("an event without its figures");
            }
            return event;
        }

        private static <T> T take(JsonObject from, String key, Class<T> type) {
            return GSON.fromJson(from.remove(key), type);
        }
    }
}
