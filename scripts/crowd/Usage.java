package crowd;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import results.ManyReaders.Cost;

/**
 * What this process has used so far, which Linux tells in /proc.
 *
 * @param threads that exist now, those of the JVM included
 * @param peakMemory most bytes that were in memory at once
 */
record Usage(long userTicks, long systemTicks, int threads, long peakMemory) {
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path STATUS = Path.of("/proc/self/status");

    /** Null where it is not Linux. */
    static Usage now() throws IOException {
        if (!Files.isReadable(STAT)) {
            return null;
        }
        String stat = Files.readString(STAT);
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" "); // the name before may hold anything
        List<String> status = Files.readAllLines(STATUS);
        return new Usage(Long.parseLong(fields[11]), Long.parseLong(fields[12]), (int) field(status, "Threads"),
                field(status, "VmHWM") << 10);
    }

    private static long field(List<String> status, String name) {
        return status.stream().filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", ""))).findFirst().orElseThrow();
    }

    /** CPU time since then; of threads the most that were ever seen. Ticks are hundredths of a second. */
    static Cost cost(Usage before, Usage underWay, Usage after) {
        return after == null ? Cost.NONE : new Cost(BigDecimal.valueOf(after.userTicks - before.userTicks, 2),
                BigDecimal.valueOf(after.systemTicks - before.systemTicks, 2),
                Math.max(underWay.threads, after.threads), after.peakMemory);
    }
}
