package measure;

import cli.Units;
import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;
import kernel.Strategy;

/**
 * Counts what a strategy does from what it tells its caller: {@code wrote} after each write, {@code otherWork} before
 * each wait. It runs the heartbeat wherever the strategy lets its thread do other work, and gives up when asked to.
 */
final class Meter {
    /** How long poll goes without a write before it tries one, 30 s, less what its clock and this may differ by. */
    private static final long SILENCE = TimeUnit.MILLISECONDS.toNanos(29_990);

    private final Task task;
    private final EventLog events;
    private final Heartbeat heartbeat;
    private final boolean hasDuties;
    private final long patience;
    private CpuClock cpu;
    private CpuClock.Times cpuBefore;
    private long began;
    private long lastTry;
    private volatile long lastWrite = System.nanoTime();
    private long bytes;
    private long writes;
    private long wouldBlocks;
    private long polls;
    private long pollTimeouts;
    private boolean polling;

    Meter(Task task, EventLog events) {
        this.task = task;
        this.events = events;
        heartbeat = task.heartbeat() == null ? null : new Heartbeat(task.heartbeat(), events);
        hasDuties = task.strategy() != Strategy.VIRTUAL && (heartbeat != null || task.giveUp() != null);
        patience = task.giveUp() == null ? Long.MAX_VALUE : task.giveUp();
    }

    /** Begins to count, in the thread that sends. */
    void start() {
        cpu = CpuClock.ofThisThread();
        cpuBefore = cpu.now();
        began = System.nanoTime();
        lastWrite = began;
        lastTry = began;
        if (heartbeat != null) {
            heartbeat.start(began);
        }
    }

    void wrote(int n) {
        if (n == 0) {
            wouldBlocks++;
            if (polling || hasDuties) {
                tried(System.nanoTime(), true);
            }
            return;
        }
        lastWrite = System.nanoTime();
        writes++;
        bytes += n;
        events.wrote(n, bytes);
        tried(System.nanoTime(), false);
    }

    /** After a poll that found room a write is never refused; after one that found none it is a try for silence. */
    private void tried(long now, boolean refused) {
        if (polling && (refused || now - lastTry >= SILENCE)) {
            pollTimeouts++;
        }
        polling = false;
        lastTry = now;
        doDuties(now);
    }

    /** Of a sender that spins without any duty this does not even look at the clock. */
    long otherWork() {
        if (task.strategy() != Strategy.POLL && !hasDuties) {
            return 0;
        }
        pollTimeouts += polling ? 1 : 0;
        polling = false;
        long now = System.nanoTime();
        doDuties(now);
        if (task.strategy() == Strategy.POLL) {
            polls++;
            polling = true;
        }
        long wait = Math.min(task.timeout(), patience - (now - lastWrite));
        return millis(heartbeat == null ? wait : Math.min(wait, heartbeat.untilNext(now)));
    }

    private void doDuties(long now) {
        if (!hasDuties) {
            return;
        }
        if (heartbeat != null) {
            heartbeat.beatIfDue(now);
        }
        if (now - lastWrite >= patience) {
            throw new GaveUp();
        }
    }

    static long millis(long nanos) {
        return Math.max(0, (nanos + 999_999) / 1_000_000);
    }

    Heartbeat heartbeat() {
        return heartbeat;
    }

    long bytes() {
        return bytes;
    }

    /** Nanoseconds that are left of the patience of who waits for this sender. */
    long patience() {
        return patience - (System.nanoTime() - lastWrite);
    }

    /** What has been counted so far, as the comparison file has it. */
    JsonObject figures() {
        long now = System.nanoTime();
        CpuClock.Times used = cpu.now().since(cpuBefore);
        JsonObject figures = new JsonObject();
        figures.addProperty("bytes", bytes);
        figures.addProperty("writes", writes);
        figures.addProperty("would_block", wouldBlocks);
        figures.addProperty("polls", polls);
        figures.addProperty("poll_timeouts", pollTimeouts);
        figures.addProperty("seconds", Units.seconds(now - began));
        figures.addProperty("user", used.user());
        figures.addProperty("system", used.system());
        figures.addProperty("crc32c", task.crc32c());
        figures.addProperty("beats_due", heartbeat == null ? 0 : heartbeat.due(now));
        figures.addProperty("beats_run", heartbeat == null ? 0 : heartbeat.ran());
        figures.addProperty("beat_worst", heartbeat == null ? BigDecimal.ZERO.setScale(6) : heartbeat.worst());
        return figures;
    }

    /** Nothing could be written for longer than the sender was asked to wait. */
    static final class GaveUp extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
