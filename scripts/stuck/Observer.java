package stuck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Tells what the processes do about a socket, from two looks at their threads. */
final class Observer {
    // Shares of the time between the looks; a thread that only naps between its tries sleeps often and uses little.
    private static final double BUSY_SHARE = 0.25;
    private static final double NAPS_PER_SECOND = 100;
    private static final double TICKS_PER_SECOND = 100; // of /proc, on every architecture that Java runs on

    private static final Set<Act> READS = EnumSet.of(Act.READ, Act.INPUT);
    private static final Set<Act> WRITES = EnumSet.of(Act.WRITE, Act.ROOM, Act.WRITE_UNSEEN);

    private final Look before;
    private final Look after;
    private final Wants wants;
    private final boolean root;

    Observer(Look before, Look after, Proc proc, boolean root) {
        this.before = before;
        this.after = after;
        this.wants = new Wants(proc);
        this.root = root;
    }

    /** What is done about the socket by those who should read it; null: they have all vanished. */
    Doing reading(StreamSocket socket, int otherPid) {
        return best(socket, false, otherPid);
    }

    /** What is done about the socket by those who should write to it; null: they have all vanished. */
    Doing writing(StreamSocket socket, int otherPid) {
        return best(socket, true, otherPid);
    }

    /** @param otherPid who is seen at the other end; of several who hold this one it is the least likely */
    private Doing best(StreamSocket socket, boolean writes, int otherPid) {
        Set<Act> first = writes ? WRITES : READS;
        if (socket.holders().isEmpty()) {
            return root ? new Doing(Act.NOBODY, null, 0, "cannot be seen: no process here has it open", false, false)
                    : new Doing(Act.UNKNOWN, null, 0, "is unknown: not your process, try as root", false, false);
        }
        List<Doing> all = new ArrayList<>();
        for (Holder holder : socket.holders()) {
            for (Task task : after.tasks(holder.pid())) {
                if (!task.ended()) {
                    all.add(doing(task, holder, socket, writes && socket.room() == Room.FULL));
                }
            }
        }
        return all.stream().min(Comparator.comparing((Doing doing) -> !first.contains(doing.act()))
                .thenComparing(Doing::act).thenComparing(doing -> doing.pid() == otherPid)
                .thenComparing(doing -> doing.tid() != doing.pid()).thenComparing(Doing::tid)).orElse(null);
    }

    private Doing doing(Task task, Holder holder, StreamSocket socket, boolean refused) {
        Task earlier = before.task(task.pid(), task.tid());
        if (task.stopped() && (earlier == null || earlier.stopped())) {
            return new Doing(Act.STOPPED, holder, task.tid(), task.state() == 'T' ? "is stopped by a signal, as SIGSTOP"
                    : "is stopped by a debugger", false, false);
        }
        Doing busy = earlier == null ? null : busy(earlier, task, holder, refused);
        if (busy != null) {
            return busy;
        }
        Act act = switch (task.call()) {
            case WRITE -> onDescriptor(task, holder, Act.WRITE, Act.WRITE_UNSEEN);
            case READ, ACCEPT -> onDescriptor(task, holder, Act.READ, Act.READ_UNSEEN);
            case POLL, SELECT, EPOLL -> polled(wants.of(task, holder.fd(), socket.inode()));
            default -> Act.ELSEWHERE;
        };
        boolean active = earlier != null && task.sleeps() > earlier.sleeps();
        return new Doing(act, holder, task.tid(), phrase(act, task, holder, socket), active,
                active && (act == Act.WRITE || act == Act.ROOM && task.pollsOne()));
    }

    /** @param refused whether a write to the socket would be refused: one who tries again and again is busy then */
    private Doing busy(Task earlier, Task task, Holder holder, boolean refused) {
        double seconds = (after.nanos() - before.nanos()) / 1e9;
        double kernel = (task.system() - earlier.system()) / TICKS_PER_SECOND / seconds;
        double share = kernel + (task.user() - earlier.user()) / TICKS_PER_SECOND / seconds;
        double naps = (task.sleeps() - earlier.sleeps()) / seconds;
        if (share < BUSY_SHARE && naps < NAPS_PER_SECOND && !(earlier.running() && task.running())) {
            return null;
        }
        return new Doing(refused ? Act.SPIN : Act.BUSY, holder, task.tid(), String.format(Locale.ROOT,
                "%s (%.0f %% of a core, %.0f %% in the kernel, %.0f naps a second)",
                refused ? "spins, or is busy with something else" : "is busy", Math.min(100, share * 100),
                Math.min(100, kernel * 100), naps), true, false);
    }

    private static Act onDescriptor(Task task, Holder holder, Act same, Act unseen) {
        return task.descriptor() == holder.fd() ? same : task.descriptor() < 0 ? unseen : Act.ELSEWHERE;
    }

    private static Act polled(int wants) {
        return wants == Wants.UNSEEN ? Act.POLL_UNSEEN : (wants & Wants.ROOM) != 0 ? Act.ROOM
                : (wants & Wants.INPUT) != 0 ? Act.INPUT : Act.POLL_OTHERS;
    }

    private String phrase(Act act, Task task, Holder holder, StreamSocket socket) {
        String call = task.call().word;
        return switch (act) {
            case WRITE -> "waits in write";
            case READ -> "waits in " + call;
            case ROOM -> "waits in " + call + " for room";
            case INPUT -> "waits in " + call + " for input"
                    + ((wants.of(task, holder.fd(), socket.inode()) & Wants.EDGE) != 0 ? ", edge-triggered" : "")
;
            case POLL_OTHERS -> "waits in " + call + ", but not for this connection";
            case POLL_UNSEEN -> "is in " + call + ", for what cannot be seen: try as root";
            case READ_UNSEEN -> "is in a read, of which descriptor cannot be seen: try as root";
            case WRITE_UNSEEN -> "is in a write, to which descriptor cannot be seen: try as root";
            default -> elsewhere(task);
        };
    }

    private static String elsewhere(Task task) {
        return task.descriptor() >= 0 ? "waits in " + task.call().word + " of descriptor " + task.descriptor()
                : task.wchan().isEmpty() || task.wchan().equals("0") ? "does something else"
                : "sleeps elsewhere (" + task.wchan() + ")";
    }
}
