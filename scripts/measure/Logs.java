package measure;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import results.Event;
import results.Events;

/** What both sides of a run printed, merged in the order of the times, which then count from the connection. */
record Logs(Path sender, Path receiver, BigDecimal origin) implements Events {
    @Override
    public void forEach(Sink sink) throws IOException {
        try (Log senders = new Log(sender); Log receivers = new Log(receiver)) {
            JsonObject bySender = senders.next();
            JsonObject byReceiver = receivers.next();
            while (bySender != null || byReceiver != null) {
                if (byReceiver == null || bySender != null && time(bySender).compareTo(time(byReceiver)) <= 0) {
                    sink.accept(event(Event.SENDER, bySender));
                    bySender = senders.next();
                } else {
                    sink.accept(event(Event.RECEIVER, byReceiver));
                    byReceiver = receivers.next();
                }
            }
        }
    }

    private static BigDecimal time(JsonObject printed) {
        return printed.get("time").getAsBigDecimal();
    }

    private Event event(String side, JsonObject printed) {
        BigDecimal time = time(printed).subtract(origin);
        String name = printed.get("event").getAsString();
        printed.remove("time");
        printed.remove("event");
        return new Event(side, time, name, printed);
    }
}
