package kernel;

/** What has been counted in a run. */
final class Counts {
    long bytes;
    long delivered;
    long writes;
    long reads;
    long wouldBlocks;
    long polls;
    long pollTimeouts;
    long beats;

    Counts copy() {
        Counts copy = new Counts();
        copy.add(this, new Counts(), 1);
        return copy;
    }

    /** Adds, so many times, what was counted from the earlier to the later time. */
    void add(Counts later, Counts earlier, long times) {
        bytes += times * (later.bytes - earlier.bytes);
        delivered += times * (later.delivered - earlier.delivered);
        writes += times * (later.writes - earlier.writes);
        reads += times * (later.reads - earlier.reads);
        wouldBlocks += times * (later.wouldBlocks - earlier.wouldBlocks);
        polls += times * (later.polls - earlier.polls);
        pollTimeouts += times * (later.pollTimeouts - earlier.pollTimeouts);
        beats += times * (later.beats - earlier.beats);
    }
}
