package kernel;

import java.util.Locale;

/** How a sender waits for room in the send buffer. */
public enum Strategy {
    /** A blocking write, which returns once its last byte has a place. */
    BLOCKING,
    /** Writes in a busy loop: whenever a single skb would be admitted. */
    NONBLOCKING,
    /** Polls before each write. */
    POLL,
    /** A blocking write in a virtual thread: the JDK tries it at once and polls when it is refused; it may be short. */
    VIRTUAL;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
