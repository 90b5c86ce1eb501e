package results;

import java.io.IOException;
import java.util.List;

/** The events of a run in the order of their times; they may be read or computed only while they are asked for. */
@FunctionalInterface
public interface Events {
    void forEach(Sink sink) throws IOException;

    /** Takes one event after another. */
    @FunctionalInterface
    interface Sink {
        void accept(Event event) throws IOException;
    }

    /** Events that are in memory. */
    static Events of(List<Event> events) {
        return sink -> {
            for (Event event : events) {
                sink.accept(event);
            }
        };
    }
}
