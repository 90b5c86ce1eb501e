package kernel;

/** The sender's other work, due at a fixed period; times in nanoseconds from the connection. */
final class Heartbeat {
    private static final long NEVER = Receiver.NEVER;

    private final Long period;
    private final Counts counts;
    private final Observer observer;
    private long next;
    private long worst;

    /** @param period null: there is none */
    Heartbeat(Long period, Counts counts, Observer observer) {
        this.period = period;
        this.counts = counts;
        this.observer = observer;
        next = period == null ? NEVER : period;
    }

    long next() {
        return next;
    }

    long worst() {
        return worst;
    }

    /** What its future depends on: the time until the next beat. */
    long phase(long now) {
        return next == NEVER ? NEVER : next - now;
    }

    /** Serves so many beats, each when it is due. */
    void beat(long times) {
        counts.beats += times;
        for (long i = 0; i < times && observer != null; i++) {
            observer.beat(next + i * period, 0);
        }
        next += times * period;
    }

    /** Serves the beats that are due by a time, each when it is due. */
    void beatUntil(long time) {
        if (next <= time) {
            beat((time - next) / period + 1);
        }
    }

    /** Serves a beat that became due in a write; the others that were missed there are skipped. */
    void beatLate(long now) {
        if (now >= next) {
            long late = now - next;
            counts.beats++;
            worst = Math.max(worst, late);
            next += (late / period + 1) * period;
            if (observer != null) {
                observer.beat(now, late);
            }
        }
    }
}
