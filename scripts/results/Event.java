package results;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.util.Map;
import results.Comparison.Beats;
import results.Comparison.Calls;
import results.Comparison.Cpu;

/**
 * One thing that happened in a run. The factories make the events that plot draws, with the keys that the senders and
 * the receiver print; sizes are in bytes, durations in seconds.
 *
 * @param side {@code sender} or {@code receiver}
 * @param time in seconds since the sender connected
 * @param event its name
 * @param details what else is known of it, by its keys in the comparison file
 */
public record Event(String side, BigDecimal time, String event, JsonObject details) {
    public static final String SENDER = "sender";
    public static final String RECEIVER = "receiver";

    /** The sender connected. */
    public static Event connected(BigDecimal time, long sndbuf, long chunk) {
        return of(SENDER, time, "connected").with("sndbuf", sndbuf).with("chunk", chunk);
    }

    /** A write returned. @param total the bytes of all writes up to this one */
    public static Event wrote(BigDecimal time, long bytes, long total) {
        return of(SENDER, time, "wrote").with("bytes", bytes).with("total", total);
    }

    /** Other work of the sender was done. @param late by how much, in seconds */
    public static Event beat(BigDecimal time, BigDecimal late) {
        return of(SENDER, time, "beat").with("late", late);
    }

    /** The sender has sent all. @param crc32c of what it sent, null if that is not known */
    public static Event done(BigDecimal time, long bytes, Calls calls, BigDecimal seconds, Cpu cpu, String crc32c,
            Beats beats) {
        return of(SENDER, time, "done").with("bytes", bytes).with(calls).with("seconds", seconds)
                .with("user", cpu.user()).with("system", cpu.system()).with("crc32c", crc32c).with(beats);
    }

    /** The sender ended before that. @param bytes that had been accepted */
    public static Event failed(BigDecimal time, String message, long bytes) {
        return of(SENDER, time, "failed").with("message", message).with("bytes", bytes);
    }

    /** A read returned. @param total the bytes of all reads up to this one */
    public static Event received(BigDecimal time, long bytes, long total) {
        return of(RECEIVER, time, "received").with("connection", 1).with("bytes", bytes).with("total", total);
    }

    /** The receiver saw the end of the stream. @param crc32c of what it read, null if that is not known */
    public static Event closed(BigDecimal time, long bytes, long reads, BigDecimal seconds, String crc32c) {
        return of(RECEIVER, time, "closed").with("connection", 1).with("bytes", bytes).with("reads", reads)
                .with("seconds", seconds).with("crc32c", crc32c).with("end", "eof");
    }

    private static Event of(String side, BigDecimal time, String event) {
        return new Event(side, time, event, new JsonObject());
    }

    private Event with(String key, Number value) {
        details.addProperty(key, value);
        return this;
    }

    private Event with(String key, String value) {
        details.addProperty(key, value);
        return this;
    }

    private Event with(Record figures) {
        for (Map.Entry<String, JsonElement> figure : Json.keys(figures).entrySet()) {
            details.add(figure.getKey(), figure.getValue());
        }
        return this;
    }

    /** A number among the details; null where there is none. */
    public BigDecimal number(String key) {
        return details.get(key) instanceof JsonPrimitive value && value.isNumber() ? value.getAsBigDecimal() : null;
    }
}
