package results;

import java.math.BigDecimal;
import java.util.List;

/**
 * The comparison file: what compare measured or predict computed, and all that plot and the notebooks read. The
 * components of these records are its keys, in this order and in snake_case; the parts of a run stand beside each
 * other in its object. Sizes are in bytes and durations in seconds; null is what does not apply or is not known.
 *
 * @param kind {@code measured} or {@code predicted}
 * @param version of the format
 */
public record Comparison(String kind, int version, Machine machine, Settings settings, List<Run> runs) {
    public static final int VERSION = 1;
    public static final String MEASURED = "measured";
    public static final String PREDICTED = "predicted";

    /** Where it ran; the last two are those of Linux, and null elsewhere. */
    public record Machine(String os, String arch, String kernel, String java, int cpus, Long pageSize,
            Long wmemDefault) {
        /** This machine. */
        public static Machine local(Long pageSize, Long wmemDefault) {
            return new Machine(System.getProperty("os.name"), System.getProperty("os.arch"),
                    System.getProperty("os.version"), System.getProperty("java.version"),
                    Runtime.getRuntime().availableProcessors(), pageSize, wmemDefault);
        }
    }

    /** What was asked for. */
    public record Settings(Long size, String input, Long chunk, Long sndbuf, Long readSize, BigDecimal interval,
            BigDecimal heartbeat, BigDecimal timeout, BigDecimal giveUp, BigDecimal connectTimeout, Integer runs,
            BigDecimal deadline) { }

    /** One run of one sender: its figures and its events. */
    public record Run(Sender who, Outcome outcome, Times times, Calls calls, Cpu cpu, Beats beats, Checksum checksum,
            Events events) { }

    /** @param strategy null for a foreign command */
    public record Sender(String sender, String strategy, int run) { }

    /** @param error null where all was sent; @param bytes that the kernel accepted; @param delivered bytes read */
    public record Outcome(String error, long bytes, long delivered, Boolean intact) { }

    public record Times(BigDecimal acceptedSeconds, BigDecimal deliveredSeconds, BigDecimal longestStall) {
        public static final Times NONE = new Times(null, null, null);
    }

    public record Calls(Long writes, Long wouldBlock, Long polls, Long pollTimeouts) {
        public static final Calls NONE = new Calls(null, null, null, null);
    }

    /** CPU time of the sending thread, and of the whole process with the start of its JVM. */
    public record Cpu(BigDecimal user, BigDecimal system, BigDecimal processUser, BigDecimal processSystem) {
        public static final Cpu NONE = new Cpu(null, null, null, null);
    }

    public record Beats(Long beatsDue, Long beatsRun, BigDecimal beatWorst) {
        public static final Beats NONE = new Beats(null, null, null);
    }

    public record Checksum(String crc32c) { }
}
