package lab;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import measure.Send;

/** Work of the reader's choice, done by a thread that sends meanwhile: how much of it, in how much time. */
public final class Working {
    private static final int BYTES = 1 << 20;
    private static final String RECEIVER = "SlowReceiver";
    private static final int LOOK_MILLIS = 10;

    private static Send poll;

    private final Runnable piece;
    private final long start = System.nanoTime();
    private final long cpuStart = cpuTime();
    private long pieces;
    private double seconds;
    private double cpu;

    private Working(Runnable piece) {
        this.piece = piece;
    }

    /** For the script that is the kernel: poll-sender's strategy, whose class is in no package and has no name here. */
    public static void setPoll(Send strategy) {
        poll = strategy;
    }

    static Table whileSending(Runnable piece, String... receiverOptions) throws IOException, InterruptedException {
        alone(piece); // as long as the JVM compiles it, it is slower
        Working alone = alone(piece);
        try (Bench bench = new Bench();
                SocketChannel channel = SocketChannel.open(receiver(bench, receiverOptions))) {
            List<Integer> writes = new ArrayList<>();
            ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
            Working sending = new Working(piece);
            poll.send(channel, () -> bytes, writes::add, sending::work);
            sending.stop();
            return table(alone, sending, writes);
        }
    }

    private static Working alone(Runnable piece) {
        Working alone = new Working(piece);
        while (System.nanoTime() - alone.start < TimeUnit.SECONDS.toNanos(1)) {
            alone.work();
        }
        alone.stop();
        return alone;
    }

    /** Starts a slow receiver; its socket, as soon as it listens. */
    static UnixDomainSocketAddress receiver(Bench bench, String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add("--connections=1");
        Process receiver = bench.start(bench.dir, RECEIVER, arguments);
        while (!bench.printed(RECEIVER, ".err").contains("listening")) {
            if (receiver.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new Script.Failure(bench.printed(RECEIVER, ".err"), receiver.exitValue());
            }
        }
        return UnixDomainSocketAddress.of(bench.dir.resolve("slow_receiver.sock"));
    }

    /** Does a piece; there is always another one. Whoever never sleeps has to look whether the cell was interrupted. */
    private long work() {
        if (Thread.interrupted()) {
            throw new CancellationException("interrupted");
        }
        piece.run();
        pieces++;
        return 0;
    }

    private void stop() {
        seconds = (System.nanoTime() - start) / 1e9;
        cpu = (cpuTime() - cpuStart) / 1e9;
    }

    private static long cpuTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static Table table(Working alone, Working sending, List<Integer> writes) {
        return new Table(List.of("", "only working", "working while sending"), List.of(
                List.of("writes, bytes", "", Figures.sizes(writes)),
                List.of("time", Figures.seconds(alone.seconds), Figures.seconds(sending.seconds)),
                List.of("CPU of the thread", Figures.seconds(alone.cpu), Figures.seconds(sending.cpu)),
                List.of("pieces of work", "" + alone.pieces, "" + sending.pieces),
                List.of("pieces a second of CPU", alone.rate(), sending.rate())));
    }

    private String rate() {
        return String.valueOf(Math.round(pieces / cpu));
    }
}
