package results;

import com.google.gson.annotations.JsonAdapter;
import java.math.BigDecimal;
import java.util.List;

/**
 * The file of one writer and many readers, which {@code compare --readers} exports. The components of these records are
 * its keys, in this order and in snake_case. Sizes are in bytes, durations in seconds, and times count from the moment
 * when all readers were connected; null is what does not apply or is not known.
 *
 * @param kind {@code readers}
 * @param version of the format
 */
public record ManyReaders(String kind, int version, Comparison.Machine machine, Settings settings, List<Run> runs) {
    public static final int VERSION = 1;
    public static final String KIND = Json.MANY_READERS;

    /**
     * What was asked for.
     *
     * @param stuck so many readers never read, but one of each run always does
     */
    public record Settings(long size, long chunk, List<Integer> readers, int stuck) { }

    /**
     * A stream to many readers in one way.
     *
     * @param way {@code blocking}, {@code poll}, {@code threads} or {@code virtual}
     * @param readers all of them, also those that never read
     * @param error null where it could be measured, whoever was served
     * @param delivery null, as is the progress, where nothing was measured
     */
    public record Run(String way, int readers, int stuck, String error, Delivery delivery, Cost cost,
            Progress progress) { }

    /**
     * What the readers that read have got.
     *
     * @param served so many have everything, every byte in order
     * @param servedSeconds until the last of these had it; null where nobody was served
     * @param stoppedSeconds when the run was stopped as not all were served; else null
     * @param bytes all together
     * @param bytesPerSecond all together; null where not all were served
     */
    public record Delivery(int served, BigDecimal servedSeconds, BigDecimal stoppedSeconds, long bytes,
            Long bytesPerSecond) {
        static final Delivery NONE = new Delivery(0, null, null, 0, null);
    }

    /**
     * What it took the writer's process: CPU time since it listened, threads at most, and most bytes in memory, both
     * with what the JVM takes.
     */
    public record Cost(BigDecimal user, BigDecimal system, Integer threads, Long peakMemory) {
        public static final Cost NONE = new Cost(null, null, null, null);
    }

    /** What each reader had got at each of these times, which are bounded in number. */
    public record Progress(@JsonAdapter(OneLine.class) List<BigDecimal> times, List<Reader> readers) { }

    /** @param reader its number, from 1, in the order of connection; @param bytes at each time */
    @JsonAdapter(OneLine.class)
    public record Reader(int reader, boolean stuck, List<Long> bytes) { }
}
