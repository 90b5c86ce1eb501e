package stuck;

import java.util.HashMap;
import java.util.Map;

/**
 * How the queues of sockets have changed over several looks at their numbers. What came and went between two looks is
 * not seen, so that the bytes are at least as many.
 */
public final class Traffic {
    /**
     * What happened to the queue that a socket reads from.
     *
     * @param read at least so many bytes were read
     * @param written at least so many bytes were written by the other end
     * @param moved its numbers or the charge of this end have changed
     */
    public record Change(long read, long written, boolean moved) {
        static final Change NONE = new Change(0, 0, false);

        private Change plus(long unread, boolean charge) {
            return new Change(read + Math.max(0, -unread), written + Math.max(0, unread),
                    moved || unread != 0 || charge);
        }
    }

    private final Map<Long, Change> changes = new HashMap<>();
    private SocketTable last;

    public Traffic(SocketTable first) {
        last = first;
    }

    /** Compares with the look before. */
    public void add(SocketTable next) {
        for (StreamSocket now : next.all()) {
            StreamSocket then = last.get(now.inode());
            if (then != null && (then.unread() != now.unread() || then.charged() != now.charged())) {
                changes.put(now.inode(), of(now).plus(now.unread() - then.unread(), then.charged() != now.charged()));
            }
        }
        last = next;
    }

    public Change of(StreamSocket socket) {
        return changes.getOrDefault(socket.inode(), Change.NONE);
    }
}
