package kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Looks for the send buffer and the chunk with which a poll sender is never kept waiting too long. */
public final class Search {
    /** Steps without a repetition after which a pair is passed over. */
    private static final long MAX_STEPS = 20_000;
    private static final long MAX_CHUNK = 2047L << 20;

    private Search() { }

    /**
     * What was found.
     *
     * @param settings of the fewest writes; null: no pair keeps the limit
     * @param tried    pairs of send buffer and chunk
     * @param shortest stall of all of them, in nanoseconds; null where none could be predicted
     */
    public record Result(Settings settings, int tried, Long shortest) { }

    /**
     * The settings whose poll sender makes the fewest writes while its longest stall stays under the limit. A send
     * buffer that is asked for is kept. Powers of two are tried, and multiples of the read size: the chunks of which a
     * read releases most.
     *
     * @param limit     in nanoseconds
     * @param keepChunk whether to try no other chunk
     */
    public static Result shortStalls(Settings asked, long limit, boolean keepChunk) {
        List<Long> sndbufs = sndbufs(asked);
        Set<Long> chunks = chunks(asked, keepChunk);
        Settings found = null;
        long fewest = Long.MAX_VALUE;
        Long shortest = null;
        for (Long sndbuf : sndbufs) {
            for (long chunk : chunks) {
                Settings candidate = asked.withSndbuf(sndbuf).withChunk(chunk);
                try {
                    Prediction run = new Simulation(candidate, Strategy.POLL, null).run(MAX_STEPS);
                    shortest = shortest == null ? run.longestStall() : Math.min(shortest, run.longestStall());
                    if (run.error() == null && run.longestStall() < limit && run.writes() < fewest) {
                        fewest = run.writes();
                        found = candidate;
                    }
                } catch (UnpredictableException e) {
                    continue; // others have a shorter pattern
                }
            }
        }
        return new Result(found, sndbufs.size() * chunks.size(), shortest);
    }

    private static List<Long> sndbufs(Settings asked) {
        List<Long> sndbufs = new ArrayList<>(Collections.singleton(asked.sndbuf()));
        for (long bytes = 4096; asked.sndbuf() == null && bytes <= asked.machine().wmemMax(); bytes *= 2) {
            sndbufs.add(bytes);
        }
        return sndbufs;
    }

    private static Set<Long> chunks(Settings asked, boolean keepChunk) {
        Set<Long> chunks = new LinkedHashSet<>(Set.of(asked.chunk()));
        for (int i = 0; i < 24 && !keepChunk; i++) {
            chunks.add(64L << i);
            chunks.add(Math.min(asked.readSize() * (i + 1), MAX_CHUNK));
        }
        return chunks;
    }
}
