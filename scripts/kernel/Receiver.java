package kernel;

import java.util.stream.LongStream;

/** When the slow receiver reads and how much: after its pauses, and after the stalls that are due. */
final class Receiver {
    static final long NEVER = Long.MAX_VALUE;

    private final long readSize;
    private final long interval;
    private final Faults faults;
    private long received;
    /** When the next stall by time is due. */
    private long nextStall;

    Receiver(Settings settings) {
        readSize = settings.readSize();
        interval = settings.interval();
        faults = settings.faults();
        nextStall = faults.stallPeriod() == null ? NEVER : faults.stallPeriod();
    }

    long firstRead() {
        return read(faults.firstReadDelay(), 0);
    }

    /** The time of the read after the one at the given time, which had come to so many bytes. */
    long next(long time, long delivered) {
        return read(Math.addExact(time, interval), delivered);
    }

    private long read(long time, long delivered) {
        received = delivered;
        boolean again = faults.stallEvery() != null && received > 0 && received % faults.stallEvery() == 0;
        if (!stalledOnce() && !again && time < nextStall) {
            return time;
        }
        long end = Math.addExact(time, faults.resumeAfter());
        if (time >= nextStall) {
            nextStall = Math.multiplyExact(end / faults.stallPeriod() + 1, faults.stallPeriod());
        }
        return end;
    }

    /** Most bytes that a read takes after those of so many whole ones. */
    long most(long reads) {
        return Math.min(readSize, Math.min(untilOnce(), untilAgain()) - reads * readSize);
    }

    /** How many reads, of those so far from it, are whole and without a stall before the one after them. */
    long undisturbed(long reads, long time) {
        long undisturbed = Math.min(reads, (Math.min(untilOnce(), untilAgain()) - 1) / readSize);
        return nextStall == NEVER || interval == 0 ? undisturbed
                : Math.min(undisturbed, Math.max(0, nextStall - 1 - time) / interval);
    }

    /** Bytes until the stall that comes only once. */
    long untilOnce() {
        return faults.stallAfter() == null || received >= faults.stallAfter() ? NEVER : faults.stallAfter() - received;
    }

    /** Whether the stall that comes only once came before the read that is next. */
    boolean stalledOnce() {
        return faults.stallAfter() != null && received == faults.stallAfter();
    }

    private long untilAgain() {
        return faults.stallEvery() == null ? NEVER : faults.stallEvery() - received % faults.stallEvery();
    }

    /** What its future depends on, but for the stall that comes once: how far away the others are. */
    LongStream state(long now) {
        return LongStream.of(untilAgain(), nextStall == NEVER ? NEVER : nextStall - now);
    }

    /** Counts bytes received in repetitions that were not gone through. */
    void skip(long bytes) {
        received += bytes;
    }
}
