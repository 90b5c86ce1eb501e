package kernel;

/** Hears what happens in a run, in order; times in nanoseconds from the connection. */
public interface Observer {
    /** A write took so many bytes. */
    default void wrote(long time, long bytes) { }

    /** A read got so many bytes. */
    default void received(long time, long bytes) { }

    /** A heartbeat was served, so many nanoseconds after it was due. */
    default void beat(long time, long late) { }

    /** The sender is done or gives up. */
    default void ended(long time) { }
}
