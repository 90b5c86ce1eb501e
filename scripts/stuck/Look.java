package stuck;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The sockets, and the threads of the processes that matter, at one moment. */
final class Look {
    private final SocketTable sockets;
    private final Map<Integer, List<Task>> tasks = new HashMap<>();
    private final long nanos;
    private final Proc proc;

    /** @param nanos System.nanoTime() */
    Look(SocketTable sockets, Proc proc, long nanos) {
        this.sockets = sockets;
        this.proc = proc;
        this.nanos = nanos;
    }

    SocketTable sockets() {
        return sockets;
    }

    long nanos() {
        return nanos;
    }

    /** The threads of a process, read when first asked for; empty: it has ended. */
    List<Task> tasks(int pid) {
        return tasks.computeIfAbsent(pid, proc::tasks);
    }

    /** A thread as it was read; null: it was not. */
    Task task(int pid, int tid) {
        return tasks.getOrDefault(pid, List.of()).stream().filter(task -> task.tid() == tid).findFirst().orElse(null);
    }
}
