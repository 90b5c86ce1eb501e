package measure;

import com.google.gson.JsonObject;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The events of a sending process, one JSON object a line on standard output. They go through one buffer, flushed when
 * the last time is a while ago: of a slow stream each line is seen at once, and a fast one is not slowed down.
 */
final class EventLog {
    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int BUFFER_CHARS = 64 << 10;

    private final OutputStream out;
    private final StringBuilder buffer = new StringBuilder(BUFFER_CHARS + 1024);
    private long lastFlush = System.nanoTime();

    EventLog() {
        this(new FileOutputStream(FileDescriptor.out));
    }

    EventLog(OutputStream out) {
        this.out = out;
    }

    synchronized void wrote(long bytes, long total) {
        begin("wrote").append(",\"bytes\":").append(bytes).append(",\"total\":").append(total);
        end();
    }

    synchronized void beat(BigDecimal late) {
        begin("beat").append(",\"late\":").append(late);
        end();
    }

    /** An event that is seldom enough to be built. */
    synchronized void log(String event, JsonObject details) {
        String fields = details.toString();
        begin(event).append(',').append(fields, 1, fields.length() - 1);
        end();
    }

    private StringBuilder begin(String event) {
        return buffer.append("{\"time\":").append(now()).append(",\"event\":\"").append(event).append('"');
    }

    private void end() {
        buffer.append("}\n");
        if (buffer.length() > BUFFER_CHARS || System.nanoTime() - lastFlush > FLUSH_NANOS) {
            flush();
        }
    }

    synchronized void flush() {
        try {
            out.write(buffer.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        buffer.setLength(0);
        lastFlush = System.nanoTime();
    }

    /** Seconds since the Unix epoch, to the microsecond. */
    static BigDecimal now() {
        Instant now = Instant.now();
        return BigDecimal.valueOf(now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000, 6);
    }
}
