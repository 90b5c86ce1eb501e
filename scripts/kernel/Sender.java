package kernel;

import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** The sender in virtual time: what it writes when it may, by its strategy, and what its timers make it do. */
final class Sender {
    private static final long NEVER = Receiver.NEVER;
    /** How long the poll sender goes without a write before it tries one. */
    private static final long STALL = TimeUnit.SECONDS.toNanos(30);

    private final Settings settings;
    private final Strategy strategy;
    private final Observer observer;
    private final KernelModel socket;
    private final Counts counts;
    private final Heartbeat heartbeat;
    /** A write is begun while less than this is charged. */
    private final long limit;
    /** Bytes that are still to come into the buffer. */
    private long unsent;
    /** Bytes in it. */
    private long left;
    /** Bytes taken by the write that blocks. */
    private long writing;
    private long now;
    private long waitingSince;
    private long lastTry;
    private long lastWrite;
    private long ended;
    private long longestStall;
    private boolean over;
    private String error;

    Sender(Settings settings, Strategy strategy, Observer observer, KernelModel socket, Counts counts) {
        this.settings = settings;
        this.strategy = strategy;
        this.observer = observer;
        this.socket = socket;
        this.counts = counts;
        heartbeat = new Heartbeat(settings.heartbeat(), counts, observer);
        limit = strategy == Strategy.POLL ? socket.sndbuf() / 4 : socket.sndbuf();
        unsent = settings.size();
    }

    boolean over() {
        return over;
    }

    /** Most that is charged when a read lets it go on. */
    long mostToGoOn() {
        return over ? 0 : strategy == Strategy.NONBLOCKING ? limit - 1 : socket.mostToWake();
    }

    /** Lets the sender write until it has to wait. */
    void send() {
        while (fill()) {
            if (socket.wmemAlloc() >= limit) {
                waitingSince = now;
                return;
            }
            long writes = 1;
            if (left == settings.chunk() && socket.skbSize(left) == left) {
                writes = socket.queue(left, 1 + unsent / left, limit);
                unsent -= (writes - 1) * left;
                wrote(writes, left);
                left = 0;
            } else {
                long sent = socket.sendmsg(left);
                left -= sent;
                writing += sent;
                if (left == 0 || strategy != Strategy.BLOCKING) {
                    wrote(1, writing);
                }
            }
            counts.polls += strategy == Strategy.POLL ? writes : 0;
        }
        end();
    }

    private void end() {
        over = true;
        ended = now;
        if (observer != null) {
            observer.ended(now);
        }
    }

    /** Refills the buffer once it is empty; false when there is nothing left to send. */
    private boolean fill() {
        if (left == 0) {
            left = Math.min(settings.chunk(), unsent);
            unsent -= left;
        }
        return left > 0;
    }

    private void wrote(long writes, long bytes) {
        writing = 0;
        counts.writes += writes;
        counts.bytes += writes * bytes;
        longestStall = Math.max(longestStall, now - lastWrite);
        lastWrite = now;
        lastTry = now;
        for (long i = 0; i < writes && observer != null; i++) {
            observer.wrote(now, bytes);
        }
        heartbeat.beatLate(now);
    }

    /** When the sender stops waiting by itself: to give up, to try a write all the same, to poll again. */
    long alarm() {
        if (over) {
            return NEVER;
        }
        long alarm = settings.giveUp() == null ? NEVER
                : Math.addExact(strategy == Strategy.BLOCKING ? waitingSince : lastWrite, settings.giveUp());
        if (strategy == Strategy.POLL) {
            alarm = Math.min(alarm, Math.addExact(lastTry, STALL));
            if (socket.writable()) {
                alarm = Math.min(alarm, Math.min(heartbeat.next(), Math.addExact(waitingSince, settings.timeout())));
            }
        }
        return alarm;
    }

    void ring() {
        switch (strategy) {
            case BLOCKING -> endWait();
            case NONBLOCKING, VIRTUAL -> giveUp();
            case POLL -> endPoll();
        }
    }

    /** SO_SNDTIMEO: the wait for one skb is over, and takes it if there is room by now, else the write returns. */
    private void endWait() {
        if (socket.admits()) {
            send();
        } else if (writing > 0) {
            wrote(1, writing);
            waitingSince = now;
        } else {
            counts.wouldBlocks++;
            heartbeat.beatLate(now);
            giveUp();
        }
    }

    private void endPoll() {
        if (waitingSince < now) {
            counts.pollTimeouts++;
            waitingSince = now;
        }
        if (settings.giveUp() != null && now - lastWrite >= settings.giveUp()) {
            giveUp();
        } else if (socket.writable()) {
            send();
        } else {
            tryWrite();
        }
    }

    private void tryWrite() {
        counts.pollTimeouts++;
        lastTry = now;
        long sent = socket.sendmsg(left);
        if (sent > 0) {
            left -= sent;
            wrote(1, sent);
            send();
        } else {
            counts.wouldBlocks++;
        }
    }

    private void giveUp() {
        BigDecimal seconds = BigDecimal.valueOf(settings.giveUp() / 1_000, 6);
        error = "gave up, nothing could be written for " + seconds + " s";
        end();
    }

    /** Lets time go by; a sender that is not stuck in a write serves its heartbeat meanwhile. */
    void advance(long time) {
        if (!over && strategy == Strategy.POLL) {
            poll(time);
        } else if (!over && strategy != Strategy.BLOCKING) {
            heartbeat.beatUntil(time);
        }
        now = time;
    }

    /** Polls without result until the given time: each ends after the timeout, or when a beat is due. */
    private void poll(long until) {
        while (true) {
            long timeouts = (Math.min(heartbeat.next(), until) - waitingSince) / settings.timeout();
            counts.pollTimeouts += timeouts;
            waitingSince += timeouts * settings.timeout();
            if (heartbeat.next() > until) {
                return;
            }
            counts.pollTimeouts += waitingSince < heartbeat.next() ? 1 : 0;
            waitingSince = heartbeat.next();
            heartbeat.beat(1);
            if (observer == null) {
                long periods = (until - waitingSince) / settings.heartbeat();
                counts.pollTimeouts += periods * ((settings.heartbeat() - 1) / settings.timeout() + 1);
                waitingSince += periods * settings.heartbeat();
                heartbeat.beat(periods);
            }
        }
    }

    /** Counts bytes as sent, in repetitions that were not gone through. */
    void skip(long bytes) {
        unsent -= bytes;
    }

    /** Bytes that are not in its buffer yet. */
    long unsent() {
        return unsent;
    }

    /** Bytes that are in its buffer. */
    long left() {
        return left;
    }

    /** All that its future depends on, but for the end. */
    LongStream state() {
        return LongStream.of(left, writing, now - waitingSince, now - lastTry, now - lastWrite, heartbeat.phase(now));
    }

    /** @param skipped time that went by in repetitions */
    Prediction result(long skipped, long lastRead, long closed) {
        Long period = settings.heartbeat();
        return new Prediction(strategy, error, counts.bytes, skipped + lastWrite, skipped + lastRead, skipped + ended,
                Math.addExact(skipped, closed), longestStall, counts.writes,
                strategy == Strategy.NONBLOCKING ? null : (Long) counts.wouldBlocks,
                counts.polls + counts.pollTimeouts, counts.pollTimeouts, counts.reads,
                period == null ? null : (Long) ((skipped + ended) / period),
                period == null ? null : (Long) counts.beats, period == null ? null : (Long) heartbeat.worst());
    }
}
