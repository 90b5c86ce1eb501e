package stuck;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a thread that sleeps in poll, select or epoll asked to be told of a descriptor. */
public final class Wants {
    /** Bits of poll and of epoll alike. */
    public static final int INPUT = 1;
    public static final int ROOM = 4;
    /** Of epoll alone: told once, and again only when more comes. */
    public static final int EDGE = 1 << 31;
    /** It cannot be seen. */
    public static final int UNSEEN = 1 << 30;

    // POLLIN and POLLRDNORM, POLLOUT and POLLWRNORM: a socket reports both of a pair.
    private static final int ANY_INPUT = 1 | 0x40;
    private static final int ANY_ROOM = 4 | 0x100;
    private static final Pattern TARGET = Pattern.compile(
            "tfd:\\s*(\\d+) events:\\s*(\\p{XDigit}+) data:\\s*\\p{XDigit}+(?:.* ino:(\\p{XDigit}+).*)?");
    private static final int POLLFD_BYTES = 8;
    private static final long NONE = Long.MIN_VALUE; // so that a set of nothing is not empty
    private static final int MOST_DESCRIPTORS = 1 << 20;

    /** @param fd of an epoll; -1: the thread's own array of poll */
    private record Key(int pid, int tid, int fd) { }

    private final Proc proc;
    private final Map<Key, Map<Long, Integer>> known = new HashMap<>();

    public Wants(Proc proc) {
        this.proc = proc;
    }

    /** INPUT, ROOM and EDGE, added; 0: nothing of this descriptor; UNSEEN. */
    public int of(Task task, int fd, long inode) {
        if (task.arguments() == null) {
            return UNSEEN;
        }
        return switch (task.call()) {
            case EPOLL -> {
                Map<Long, Integer> wanted = known.computeIfAbsent(new Key(task.pid(), 0, task.descriptor()),
                        key -> epoll(proc.descriptor(key.pid(), key.fd())));
                yield wanted.isEmpty() ? UNSEEN : wanted.getOrDefault(inode, wanted.getOrDefault(-1L - fd, 0));
            }
            case POLL -> {
                Map<Long, Integer> wanted =
                        known.computeIfAbsent(new Key(task.pid(), task.tid(), -1), key -> poll(task));
                yield wanted.isEmpty() ? UNSEEN : wanted.getOrDefault((long) fd, 0);
            }
            case SELECT -> select(task, fd);
            default -> UNSEEN;
        };
    }

    // By inode, for the descriptor that was added may have been closed and stand for another file by now; kernels
    // before 4.13 have no inode there: by descriptor, as a negative number. Empty: it cannot be seen.
    private static Map<Long, Integer> epoll(List<String> lines) {
        Map<Long, Integer> targets = new HashMap<>();
        for (String line : lines) {
            targets.put(NONE, 0);
            Matcher target = TARGET.matcher(line.strip());
            if (target.matches()) {
                long key = target.group(3) == null ? -1 - Long.parseLong(target.group(1))
                        : Long.parseLong(target.group(3), 16);
                targets.put(key, bits((int) Long.parseLong(target.group(2), 16)));
            }
        }
        return targets;
    }

    private Map<Long, Integer> poll(Task task) {
        long count = task.arguments()[1];
        ByteBuffer descriptors = count < 0 || count > MOST_DESCRIPTORS ? null
                : proc.memory(task.pid(), task.arguments()[0], (int) count * POLLFD_BYTES);
        Map<Long, Integer> wanted = new HashMap<>();
        while (descriptors != null && descriptors.hasRemaining()) {
            wanted.put(NONE, 0);
            long fd = descriptors.getInt();
            wanted.merge(fd, bits(descriptors.getShort() & 0xffff), (one, other) -> one | other);
            descriptors.getShort(); // what poll reported last
        }
        return wanted;
    }

    private static int bits(int events) {
        return ((events & ANY_INPUT) != 0 ? INPUT : 0) | ((events & ANY_ROOM) != 0 ? ROOM : 0) | events & EDGE;
    }

    private int select(Task task, int fd) {
        if (fd >= task.arguments()[0]) {
            return 0;
        }
        int input = bit(task, task.arguments()[1], fd);
        int room = bit(task, task.arguments()[2], fd);
        return input < 0 || room < 0 ? UNSEEN : input * INPUT + room * ROOM;
    }

    // A set of descriptors is an array of longs: bit n of the n-th descriptor, in this machine's order.
    private int bit(Task task, long set, int fd) {
        if (set == 0) {
            return 0;
        }
        ByteBuffer word = proc.memory(task.pid(), set + fd / Long.SIZE * Long.BYTES, Long.BYTES);
        return word == null ? -1 : (int) (word.getLong() >> fd % Long.SIZE & 1);
    }
}
