package measure;

import cli.Units;
import java.math.BigDecimal;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Other work that is due at a fixed period: when it runs, how late, and how much of it is missed. */
final class Heartbeat {
    private final long period;
    private final EventLog events;
    private final CountDownLatch started = new CountDownLatch(1);
    private long began;
    private long nextBeat;
    private long beats;
    private long worst;

    Heartbeat(long period, EventLog events) {
        this.period = period;
        this.events = events;
    }

    synchronized void start(long now) {
        began = now;
        nextBeat = now + period;
        started.countDown();
    }

    /** Does the work once if it is due; what came due besides is missed. */
    synchronized void beatIfDue(long now) {
        if (now < nextBeat) {
            return;
        }
        long late = now - nextBeat;
        beats++;
        worst = Math.max(worst, late);
        nextBeat += (late / period + 1) * period;
        events.beat(Units.seconds(late));
    }

    synchronized long untilNext(long now) {
        return nextBeat - now;
    }

    /** Beats from the start until it is interrupted, for a thread that does nothing else. */
    void run() {
        try {
            started.await();
            while (true) {
                TimeUnit.NANOSECONDS.sleep(untilNext(System.nanoTime()));
                beatIfDue(System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized long due(long now) {
        return (now - began) / period;
    }

    synchronized long ran() {
        return beats;
    }

    synchronized BigDecimal worst() {
        return Units.seconds(worst);
    }
}
