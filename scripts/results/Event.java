package results;

import com.google.gson.JsonObject;
import java.math.BigDecimal;

/**
 * One thing that happened in a run.
 *
 * @param side {@code sender} or {@code receiver}
 * @param time in seconds since the sender connected
 * @param event its name
 * @param details what else is known of it, by its keys in the comparison file
 */
public record Event(String side, BigDecimal time, String event, JsonObject details) {
    public static final String SENDER = "sender";
    public static final String RECEIVER = "receiver";
}
