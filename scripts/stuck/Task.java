package stuck;

/**
 * A thread at one moment, from /proc/PID/task/TID.
 *
 * @param state R running, S sleeping, D sleeping, T stopped by a signal, t stopped by a debugger, Z ended, ...
 * @param call what it sleeps in
 * @param arguments of that call; null: they cannot be seen, or it runs
 * @param wchan the kernel's function that it sleeps in; "0" or empty: none, or it cannot be seen
 * @param user CPU time in its own code, in ticks of 10 ms
 * @param system CPU time in the kernel, in ticks of 10 ms
 * @param sleeps how often it has gone to sleep so far
 */
public record Task(int pid, int tid, char state, Call call, long[] arguments, String wchan, long user, long system,
        long sleeps) {

    public boolean stopped() {
        return state == 'T' || state == 't';
    }

    public boolean running() {
        return state == 'R';
    }

    public boolean ended() {
        return state == 'Z' || state == 'X';
    }

    /** The first argument, which is the descriptor of a read, write, accept or epoll; -1: it cannot be seen. */
    public int descriptor() {
        return arguments == null ? -1 : (int) arguments[0];
    }

    /** It is in poll for a single descriptor. */
    public boolean pollsOne() {
        return call == Call.POLL && arguments != null && arguments[1] == 1;
    }
}
