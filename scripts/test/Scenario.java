import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.function.Executable;

/**
 * Plays a scenario with the senders and a faulty receiver. The counts follow from the kernel's rules for 4 KiB pages
 * and the default buffer: a full queue holds 6 socket buffers of 36544 bytes; one is released when its last byte was
 * read; a busy loop fills it at once, a write that waits, and poll, when 5 are free.
 */
final class Scenario {
    static final List<String> SENDERS = List.of("blocking-sender", "nonblocking-sender", "poll-sender");

    /** Those that have --give-up. */
    static final List<String> PATIENT = List.of("nonblocking-sender", "poll-sender");

    private Scenario() {
    }

    static final int MIB = 1 << 20;

    /** Nothing released, as when 20 KiB are read. */
    static final int FULL = 6 * 36544;

    /** 512 KiB read are 14 buffers; those that wait for 5 have filled the queue twice. */
    static final int FULL_AND_512_KIB_READ = (6 + 5 + 5) * 36544;
    static final int FULL_AND_512_KIB_READ_BUSY = (6 + 14) * 36544;

    /** 200 KiB read are 5 buffers. */
    static final int FULL_AND_200_KIB_READ = (6 + 5) * 36544;

    static void countsAreForThisKernel() throws Exception {
        String buffer = Files.readAllLines(Path.of("/proc/sys/net/core/wmem_default")).get(0);
        Process getconf = new ProcessBuilder("getconf", "PAGESIZE").start();
        String page = new String(getconf.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        Assumptions.assumeTrue(buffer.equals("212992") && page.equals("4096"),
                () -> "the counts are for a buffer of 212992, not " + buffer + ", and pages of 4096, not " + page);
    }

    interface Play {
        void on(Kit kit, String sender) throws Exception;
    }

    /** Plays it with all senders at once, as it is mostly waiting; each in a directory of its own. */
    static void with(List<String> senders, Play play) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(senders.size());
        List<Callable<Void>> plays = senders.stream().<Callable<Void>>map(sender -> () -> {
            try (Kit kit = new Kit()) {
                play.on(kit, sender);
                return null;
            } catch (AssertionError | Exception e) {
                throw new AssertionError(sender + ": " + e.getMessage(), e);
            }
        }).toList();
        List<Future<Void>> played = pool.invokeAll(plays);
        pool.shutdown();
        assertAll(played.stream().<Executable>map(result -> () -> {
            try {
                result.get();
            } catch (ExecutionException e) {
                throw e.getCause();
            }
        }));
    }

    static Kit.Running receiver(Kit kit, String options) throws Exception {
        return kit.faultyReceiver(("--json " + options).split(" +"));
    }

    static void fails(Kit.Running sender, int status, int accepted) throws Exception {
        assertEquals(status, sender.await(), () -> sender.err().toString());
        assertEquals(1, sender.err().size(), () -> sender.err().toString());
        String line = sender.err().get(0);
        assertTrue(line.endsWith("; " + accepted + " bytes had been accepted"), line);
    }

    static void succeeds(Kit.Running running) throws Exception {
        assertEquals(0, running.await(), () -> running.err().toString());
    }

    static boolean spins(String sender) {
        return sender.equals("nonblocking-sender");
    }

    /** The bytes of each write. */
    static List<Integer> wrote(Kit.Running sender) {
        return sender.out().stream().map(line -> Integer.valueOf(line.split(" ")[1])).toList();
    }

    /** CPU time of a process in hundredths of a second. */
    static long ticks(Process process) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
