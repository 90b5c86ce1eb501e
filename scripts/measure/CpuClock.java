package measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of one thread, read from whichever other; of a virtual thread, that of its carrier. */
final class CpuClock {
    @SuppressWarnings("deprecation") // threadId() is there from JDK 19 on
    private final long javaThread = Thread.currentThread().getId();
    private final Path stat;

    private CpuClock(Path stat) {
        this.stat = stat;
    }

    static CpuClock ofThisThread() {
        try {
            return new CpuClock(Path.of("/proc/thread-self").toRealPath().resolve("stat"));
        } catch (IOException e) {
            return new CpuClock(null); // not Linux
        }
    }

    Times now() {
        if (stat != null) {
            try {
                String line = Files.readString(stat);
                String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
                return new Times(Long.parseLong(fields[11]), Long.parseLong(fields[12]));
            } catch (IOException e) {
                return new Times(0, 0); // the thread has ended
            }
        }
        ThreadMXBean bean = ManagementFactory.getThreadMXBean(); // slower to load than /proc
        long user = bean.getThreadUserTime(javaThread);
        return new Times(user / 10_000_000, (bean.getThreadCpuTime(javaThread) - user) / 10_000_000);
    }

    /** In hundredths of a second, the unit in which Linux counts them. */
    record Times(long userTicks, long systemTicks) {
        Times since(Times earlier) {
            return new Times(userTicks - earlier.userTicks, systemTicks - earlier.systemTicks);
        }

        BigDecimal user() {
            return BigDecimal.valueOf(userTicks, 2);
        }

        BigDecimal system() {
            return BigDecimal.valueOf(systemTicks, 2);
        }
    }
}
