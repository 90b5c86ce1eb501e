package measure;

import com.google.gson.JsonObject;
import java.io.Closeable;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;

/** What the receiver has reported so far of the first connection, unless it was only compare that knocked. */
final class ReceiverSide implements Closeable {
    private static final long OWN_PID = ProcessHandle.current().pid();

    private final Log log;
    private boolean listening;
    private BigDecimal accepted;
    private BigDecimal lastRead;
    private long delivered;
    private String crc32c;

    ReceiverSide(Path file) throws IOException {
        log = new Log(file);
    }

    void follow() throws IOException {
        for (JsonObject event = log.next(); event != null; event = log.next()) {
            BigDecimal time = event.get("time").getAsBigDecimal();
            boolean first = event.has("connection") && event.get("connection").getAsInt() == 1;
            switch (event.get("event").getAsString()) {
                case "listening" -> listening = true;
                case "connected" -> accepted = !first ? accepted
                        : event.get("peer_pid").getAsLong() == OWN_PID ? null : time;
                case "received" -> {
                    if (first) {
                        delivered = event.get("total").getAsLong();
                        lastRead = time;
                    }
                }
                case "closed" -> crc32c = first && accepted != null ? event.get("crc32c").getAsString() : crc32c;
                default -> { } // faults that strike
            }
        }
    }

    boolean isListening() {
        return listening;
    }

    /** Seconds since the Unix epoch; null if nobody but compare connected. */
    BigDecimal accepted() {
        return accepted;
    }

    /** Null before the first read. */
    BigDecimal lastRead() {
        return lastRead;
    }

    long delivered() {
        return delivered;
    }

    /** Of all that was received, once the connection has been closed; null before. */
    String crc32c() {
        return crc32c;
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
