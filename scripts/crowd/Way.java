package crowd;

import java.util.Locale;
import measure.VirtualThreads;

/** How one program can serve many readers. */
public enum Way {
    /** A blocking write to one reader after another. */
    BLOCKING,
    /** One thread that waits for all readers at once: the strategy of fan-out-sender. */
    POLL,
    /** A platform thread a reader, each with blocking writes. */
    THREADS,
    /** A virtual thread a reader, each with blocking writes. */
    VIRTUAL;

    /** What it lacks here, in words; null if it can run. */
    String lack() {
        return this != VIRTUAL || VirtualThreads.exist() ? null
                : "it needs JDK " + VirtualThreads.JDK + " or later; this is " + Runtime.version().feature();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
