package measure;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends in a virtual thread, with the heartbeat in another one on the same carrier: a sender that pinned the carrier
 * would make it miss beats. By reflection, as the kit also runs on JDKs that have no virtual threads.
 */
public final class VirtualThreads {
    /** The first JDK that has them. */
    public static final int JDK = 21;
    /** Options of the JVM for a single carrier. */
    static final List<String> ONE_CARRIER = List.of("-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1");

    private VirtualThreads() { }

    public static boolean exist() {
        return Runtime.version().feature() >= JDK;
    }

    /** Sends to the end, or until the meter's patience is over; then closes what is written to. */
    static void run(Callable<Void> send, Meter meter, Closeable channel) throws IOException, InterruptedException {
        ExecutorService threads = executor();
        Future<?> sending = threads.submit(send);
        if (meter.heartbeat() != null) {
            threads.submit(meter.heartbeat()::run);
        }
        try {
            await(sending, meter);
        } catch (TimeoutException e) {
            channel.close();
            throw new Meter.GaveUp();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(Future<?> sending, Meter meter)
            throws InterruptedException, ExecutionException, TimeoutException {
        while (true) {
            try {
                sending.get(meter.patience(), TimeUnit.NANOSECONDS);
                return;
            } catch (TimeoutException e) {
                if (meter.patience() <= 0) {
                    throw e;
                }
            }
        }
    }

    /** A virtual thread for each task. */
    public static ExecutorService executor() {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no virtual threads before JDK " + JDK, e);
        }
    }
}
