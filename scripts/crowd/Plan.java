package crowd;

import cli.Errors;
import cli.Units;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import measure.Terminal;
import results.ManyReaders.Settings;

/**
 * What is measured of one writer and many readers. Sizes are in bytes.
 *
 * @param readers a run of each way to so many
 * @param stuck so many of them never read, but one always does
 * @param deadline of a run in nanoseconds; null: what suits the bytes
 */
record Plan(List<Integer> readers, int stuck, long size, long chunk, Long deadline) {
    private static final double LEAST_DEADLINE = 5;
    /** Bytes per second that any machine moves, for the default of the deadline. */
    private static final double LEAST_THROUGHPUT = 100e6;
    /** Open files that a process has beside its connections: jars, its own streams, selectors. */
    private static final int OTHER_FILES = 64;

    List<Way> ways() {
        return Stream.of(Way.values()).filter(way -> way.lack() == null).toList();
    }

    int stuck(int all) {
        return Math.min(stuck, all - 1);
    }

    /** Nanoseconds from the moment when so many readers are connected. */
    long deadline(int all) {
        return deadline != null ? deadline
                : (long) (Math.max(LEAST_DEADLINE, (double) all * size / LEAST_THROUGHPUT) * 1e9);
    }

    /** Fails if a process of ours cannot have so many files; the JVM raises its soft limit as far as that goes. */
    void checkDescriptors() throws IOException {
        Process shell = new ProcessBuilder("sh", "-c", "ulimit -n").start();
        String limit = new String(shell.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        int most = readers.stream().max(Integer::compare).orElseThrow();
        if (limit.matches("\\d{1,9}") && Integer.parseInt(limit) < most + OTHER_FILES) {
            throw Errors.problem("--readers", most + " readers take " + (most + OTHER_FILES)
                    + " open files in a process, and the limit is " + limit
                    + "; raise it with ulimit -n, or ask for fewer");
        }
    }

    /** What will be run, and how long that takes at most, in lines. */
    String announcement() {
        String each = readers.stream().map(String::valueOf).collect(Collectors.joining(", "))
                .replaceFirst(", (\\d+)$", " and $1");
        long longest = readers.stream().mapToLong(this::deadline).max().orElseThrow();
        return Stream.of(Way.values()).filter(way -> way.lack() != null)
                .map(way -> "compare: " + way + " is left out: " + way.lack() + "\n").collect(Collectors.joining())
                + Terminal.wrap(ways().stream().map(Way::toString).collect(Collectors.joining(", "))
                + ", one after another: " + Units.size(size) + " to each of " + each + " readers, "
                + (stuck == 0 ? "who all read" : "of whom " + stuck + (stuck == 1 ? " never reads" : " never read"))
                + (readers.stream().anyMatch(all -> stuck(all) < stuck) ? " where that leaves one who does" : "")
                + "; a run that does not end is stopped after " + Units.fixed(longest / 1e9, 1) + " s"
                + (deadline == null && readers.size() > 1 ? " or less." : "."));
    }

    Settings settings() {
        return new Settings(size, chunk, readers, stuck);
    }
}
