package stuck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Looks at the sockets and the processes for a while, and says what was found. */
public final class Observation {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Selection selection;
    private final Proc proc;
    private final boolean root;
    private Look last;
    private double seconds;

    /** Takes the first look. */
    public Observation(Selection selection) throws IOException {
        if (!Files.exists(Path.of("/proc/self/wchan"))) {
            throw new CannotLook("/proc: not there; it takes Linux, and on other systems the tools of the system");
        }
        this.selection = selection;
        proc = new Proc(Path.of("/proc"), Call.Numbers.here());
        root = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
        last = look();
        selection.check(last.sockets());
    }

    /**
     * Looks from the last look on, or the first, until the time is over.
     *
     * @param least nanoseconds, at the end of which it is enough if nothing seems stuck
     * @param most nanoseconds
     */
    public List<Finding> observe(long least, long most) throws IOException {
        Look before = last;
        Traffic traffic = new Traffic(before.sockets());
        List<Finding> found;
        long wait = least;
        do {
            watchNumbers(before.nanos() + wait, traffic);
            last = look();
            traffic.add(last.sockets());
            seconds = (last.nanos() - before.nanos()) / 1e9;
            found = judge(before, traffic);
            wait = most;
        } while (last.nanos() - before.nanos() < most && found.stream().anyMatch(Finding::stuck));
        return found;
    }

    /** How long it looked. */
    public double seconds() {
        return seconds;
    }

    /** Lines of ss that could not be read in the last look. */
    public int skipped() {
        return last.sockets().skipped();
    }

    private Look look() throws IOException {
        Look look = new Look(Ss.withProcesses(), proc, System.nanoTime());
        for (StreamSocket socket : look.sockets().all()) {
            StreamSocket other = look.sockets().get(socket.peer());
            if (socket.listens() ? socket.backlogFull() || !socket.connecting().isEmpty()
                    : selection.wants(socket, other)) {
                socket.holders().forEach(holder -> look.tasks(holder.pid()));
            }
        }
        return look;
    }

    private static void watchNumbers(long until, Traffic traffic) throws IOException {
        long took = 0;
        for (long now = System.nanoTime(); now < until; now = System.nanoTime()) {
            pause(Math.min(Math.max(STEP_NANOS, 2 * took), until - now)); // many sockets: at most a third of the time
            long asked = System.nanoTime();
            traffic.add(Ss.numbers());
            took = System.nanoTime() - asked;
        }
    }

    private static void pause(long nanos) throws IOException {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
    }

    private List<Finding> judge(Look before, Traffic traffic) {
        Judge judge = new Judge(new Observer(before, last, proc, root), traffic, seconds);
        Connecting connecting = new Connecting(proc);
        Map<Long, StreamSocket> listeners = notAccepted();
        Set<Long> done = new HashSet<>();
        List<Finding> found = new ArrayList<>();
        for (StreamSocket socket : last.sockets().all()) {
            StreamSocket then = before.sockets().get(socket.inode());
            if (then != null && done.add(socket.inode())) { // what has come since has not been looked at twice
                done.add(socket.peer());
                Finding finding = socket.listens() ? backlog(judge, connecting, socket, then)
                        : connection(judge, socket, listeners.get(socket.inode()));
                if (finding != null) {
                    found.add(finding);
                }
            }
        }
        return found;
    }

    private Finding backlog(Judge judge, Connecting connecting, StreamSocket socket, StreamSocket then) {
        if (!socket.backlogFull()) {
            return null;
        }
        List<Connecting.Thread> waiting = connecting.to(socket);
        boolean wanted = selection.wants(socket) || waiting.stream().anyMatch(thread -> selection.has(thread.holder()));
        return wanted ? judge.backlog(socket, waiting, !socket.connecting().equals(then.connecting())) : null;
    }

    /** @param listener that has not accepted it yet; null: there is none */
    private Finding connection(Judge judge, StreamSocket socket, StreamSocket listener) {
        StreamSocket other = last.sockets().get(socket.peer());
        if (listener != null) {
            return selection.wants(socket, null) || selection.names(listener)
                    ? judge.notAccepted(socket, listener) : null;
        }
        if (!socket.state().equals("ESTAB") || !selection.wants(socket, other)) {
            return null;
        }
        return other != null ? judge.connection(socket, other)
                : socket.peer() == 0 && socket.unread() > 0 ? judge.leftOver(socket) : null;
    }

    private Map<Long, StreamSocket> notAccepted() {
        Map<Long, StreamSocket> listeners = new HashMap<>();
        for (StreamSocket socket : last.sockets().all()) {
            socket.connecting().forEach(inode -> listeners.put(inode, socket));
        }
        return listeners;
    }
}
