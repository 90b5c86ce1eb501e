package measure;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.Closeable;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import results.Comparison.Beats;
import results.Comparison.Calls;
import results.Comparison.Cpu;

/** What a sender of the kit has reported so far; of a command this stays empty. */
final class SenderSide implements Closeable {
    private final Log log;
    private final Forecast forecast;
    private long bytes;
    private long writes;
    private BigDecimal connected;
    private BigDecimal lastWrite;
    private BigDecimal longestStall = BigDecimal.ZERO;
    private JsonObject last;
    private boolean done;
    private String deviation;

    /** @param forecast to compare each write with, or null */
    SenderSide(Path file, Forecast forecast) throws IOException {
        log = new Log(file);
        this.forecast = forecast;
    }

    void follow() throws IOException {
        for (JsonObject event = log.next(); event != null; event = log.next()) {
            BigDecimal time = event.get("time").getAsBigDecimal();
            switch (event.get("event").getAsString()) {
                case "connected" -> {
                    connected = time;
                    lastWrite = time;
                }
                case "wrote" -> wrote(time, event.get("bytes").getAsLong(), event.get("total").getAsLong());
                case "done" -> {
                    last = event;
                    done = true;
                }
                case "failed" -> last = event;
                default -> { } // beats are counted by the sender
            }
        }
    }

    private void wrote(BigDecimal time, long size, long total) {
        bytes = total;
        longestStall = longestStall.max(time.subtract(lastWrite));
        lastWrite = time;
        if (deviation == null && forecast != null && writes < forecast.writes().size()
                && forecast.writes().get((int) writes) != size) {
            deviation = "write " + (writes + 1) + " of %s took " + size + " bytes, not "
                    + forecast.writes().get((int) writes);
        }
        writes++;
    }

    /** What is not as predicted in its writes, with %s for its name; null if all is. */
    String deviation() {
        return deviation != null || forecast == null || writes == forecast.prediction().writes() ? deviation
                : "%s made " + writes + " writes, not " + forecast.prediction().writes();
    }

    long bytes() {
        return bytes;
    }

    /** Seconds since the Unix epoch; null before. */
    BigDecimal connected() {
        return connected;
    }

    BigDecimal lastWrite() {
        return lastWrite;
    }

    BigDecimal longestStall() {
        return longestStall;
    }

    boolean isDone() {
        return done;
    }

    /** Seconds from the connection to the failure that it reported itself; null if it did not. */
    BigDecimal failedAfter() {
        return done ? null : figure("seconds");
    }

    String crc32c() {
        return done ? last.get("crc32c").getAsString() : null;
    }

    Calls calls() {
        return new Calls(writes, count("would_block"), count("polls"), count("poll_timeouts"));
    }

    Cpu cpu(BigDecimal processUser, BigDecimal processSystem) {
        return new Cpu(figure("user"), figure("system"), processUser, processSystem);
    }

    Beats beats() {
        return new Beats(count("beats_due"), count("beats_run"), figure("beat_worst"));
    }

    private Long count(String name) {
        BigDecimal count = figure(name);
        return count == null ? null : count.longValueExact();
    }

    private BigDecimal figure(String name) {
        JsonElement figure = last == null ? null : last.get(name);
        return figure == null || figure.isJsonNull() ? null : figure.getAsBigDecimal();
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
