import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.newsclub.net.unix.AFSocketPair;
import org.newsclub.net.unix.AFUNIXSelectorProvider;
import org.newsclub.net.unix.AFUNIXSocketChannel;

/** The model against what was recorded from a kernel, and against the kernel of this machine. */
class KernelModelTest {
    /** Where kernel-patterns.tsv was recorded. */
    private static final Predict.Machine RECORDED = new Predict.Machine(4096, 212992, 4194304);
    /** For each strategy. */
    private static final int SETTINGS = 150;
    private static final int MAX_CALLS = 10_000;

    /** A sender and a receiver in one thread: they write while the strategy lets them, then read once, and so on. */
    record Setting(Predict.Strategy strategy, Long sndbuf, long size, long chunk, long readSize) {
        /** The bytes of each call in order: writes positive, refused ones 0, reads negative. */
        List<Long> run(Connection connection, int maxCalls) throws IOException {
            List<Long> calls = new ArrayList<>();
            long left = 0;
            long unsent = size;
            for (long unread = size; unread > 0 && calls.size() < maxCalls;) {
                while (unsent > 0 && (strategy == Predict.Strategy.NONBLOCKING || connection.writable())) {
                    left = left == 0 ? Math.min(chunk, unsent) : left;
                    long sent = connection.write(left);
                    calls.add(sent);
                    left -= sent;
                    unsent -= sent;
                    if (sent == 0) {
                        break;
                    }
                }
                long read = connection.read(readSize);
                calls.add(-read);
                unread -= read;
            }
            return calls;
        }
    }

    private interface Connection extends Closeable {
        boolean writable() throws IOException;

        long write(long bytes) throws IOException;

        long read(long bytes) throws IOException;
    }

    private record ModelConnection(Predict.KernelModel model) implements Connection {
        @Override
        public boolean writable() {
            return model.writable();
        }

        @Override
        public long write(long bytes) {
            return model.sendmsg(bytes);
        }

        @Override
        public long read(long bytes) {
            return model.recvmsg(bytes);
        }

        @Override
        public void close() { }
    }

    private static final class KernelConnection implements Connection {
        private static final ByteBuffer SENT = ByteBuffer.allocateDirect(4 << 20);
        private static final ByteBuffer RECEIVED = ByteBuffer.allocateDirect(1 << 20);

        final AFUNIXSocketChannel sender;
        final AFUNIXSocketChannel receiver;
        final Selector selector;

        KernelConnection(Long sndbuf) throws IOException {
            AFSocketPair<AFUNIXSocketChannel> pair = AFUNIXSelectorProvider.provider().openSocketChannelPair();
            sender = pair.getSocket1();
            receiver = pair.getSocket2();
            if (sndbuf != null) {
                sender.setOption(StandardSocketOptions.SO_SNDBUF, sndbuf.intValue());
            }
            sender.configureBlocking(false);
            receiver.configureBlocking(false);
            selector = sender.provider().openSelector();
            sender.register(selector, SelectionKey.OP_WRITE);
        }

        long sndbuf() throws IOException {
            return sender.getOption(StandardSocketOptions.SO_SNDBUF);
        }

        @Override
        public boolean writable() throws IOException {
            int ready = selector.selectNow();
            selector.selectedKeys().clear();
            return ready > 0;
        }

        @Override
        public long write(long bytes) throws IOException {
            return sender.write(SENT.clear().limit((int) bytes));
        }

        @Override
        public long read(long bytes) throws IOException {
            return receiver.read(RECEIVED.clear().limit((int) bytes));
        }

        @Override
        public void close() throws IOException {
            selector.close();
            sender.close();
            receiver.close();
        }
    }

    /** One run of kernel-patterns.tsv; writes in its notation, {@code reads-done-before-it:bytes[xcount]}. */
    record Pattern(Setting setting, long effectiveSndbuf, long reads, String writes) {
        static Pattern parse(String line) {
            String[] fields = line.split("\t");
            Setting setting = new Setting(Predict.Strategy.valueOf(fields[0].toUpperCase()),
                    fields[1].equals("default") ? null : Long.valueOf(fields[1]),
                    Long.parseLong(fields[3]), Long.parseLong(fields[4]), Long.parseLong(fields[5]));
            return new Pattern(setting, Long.parseLong(fields[2]), Long.parseLong(fields[6]), fields[7]);
        }

        static Pattern of(Setting setting, long effectiveSndbuf, List<Long> calls) {
            long reads = 0;
            List<String> writes = new ArrayList<>();
            String last = "";
            int times = 1;
            for (long bytes : calls) {
                String write = reads + ":" + bytes;
                if (bytes < 0) {
                    reads++;
                } else if (bytes > 0 && write.equals(last)) {
                    times++;
                    writes.set(writes.size() - 1, write + "x" + times);
                } else if (bytes > 0) {
                    times = 1;
                    last = write;
                    writes.add(write);
                }
            }
            return new Pattern(setting, effectiveSndbuf, reads, String.join(" ", writes));
        }
    }

    static List<Pattern> patterns() throws IOException {
        try (BufferedReader file = new BufferedReader(new InputStreamReader(
                KernelModelTest.class.getResourceAsStream("/kernel-patterns.tsv"), StandardCharsets.UTF_8))) {
            List<Pattern> patterns = file.lines().skip(1).map(Pattern::parse).toList();
            assertEquals(44, patterns.size());
            return patterns;
        }
    }

    @Test
    void modelMakesEveryRecordedRun() throws IOException {
        for (Pattern recorded : patterns()) {
            Predict.KernelModel model = new Predict.KernelModel(RECORDED, recorded.setting.sndbuf);
            List<Long> calls = recorded.setting.run(new ModelConnection(model), Integer.MAX_VALUE);
            assertEquals(recorded, Pattern.of(recorded.setting, model.sndbuf, calls));
        }
    }

    /** Nothing runs at the same time, so the kernel has no choice; a seed makes a failure repeatable. */
    @ParameterizedTest
    @EnumSource(value = Predict.Strategy.class, names = {"NONBLOCKING", "POLL"})
    void modelDoesWhatThisKernelDoes(Predict.Strategy strategy) throws IOException {
        Predict.Machine machine = Predict.Machine.local();
        for (int seed = 0; seed < SETTINGS; seed++) {
            Random random = new Random(seed);
            Long sndbuf = seed % 10 == 0 ? null : Long.valueOf(anyOrder(random, 2304, machine.wmemMax()));
            Predict.KernelModel model = new Predict.KernelModel(machine, sndbuf);
            long chunk = anyOrder(random, 1, 2 << 20);
            long readSize = anyOrder(random, 1, 1 << 20);
            Setting setting = new Setting(strategy, sndbuf, 3 * model.sndbuf + 2 * chunk, chunk, readSize);
            try (KernelConnection kernel = new KernelConnection(sndbuf)) {
                assertEquals(kernel.sndbuf(), model.sndbuf, setting.toString());
                List<Long> calls = setting.run(kernel, MAX_CALLS);
                assertEquals(calls, setting.run(new ModelConnection(model), MAX_CALLS), setting.toString());
            }
        }
    }

    /** A number whose order of magnitude is as random as its digits. */
    private static long anyOrder(Random random, long least, long most) {
        return Math.min(most, Math.round(least * Math.pow((double) (most + 1) / least, random.nextDouble())));
    }

    @ParameterizedTest
    @CsvSource({"1, 4608", "2304, 4608", "2305, 4610", "100000, 200000", "2147483647, 0"})
    void kernelMakesOfARequestWhatTheModelSays(long request, long expected) throws IOException {
        Predict.Machine machine = Predict.Machine.local();
        try (KernelConnection kernel = new KernelConnection(request)) {
            assertEquals(kernel.sndbuf(), Predict.KernelModel.sndbuf(machine, request));
            assertEquals(expected == 0 ? 2 * machine.wmemMax() : expected, kernel.sndbuf());
        }
    }

    /**
     * A quarter of 5124 bytes is 1281, and an skb of 600 bytes is charged 1280. With one left, poll finds the socket
     * writable, but the release that leaves one wakes nobody: the kernel then still counts a byte of the skb released.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sleeperNeedsOneByteMoreThanPollAsksFor(boolean blocking) throws Exception {
        Predict.KernelModel model = new Predict.KernelModel(Predict.Machine.local(), 2562L);
        try (KernelConnection kernel = new KernelConnection(2562L)) {
            while (model.admits()) {
                assertEquals(600, model.sendmsg(600));
                assertEquals(600, kernel.write(600));
            }
            assertEquals(0, kernel.write(600));
            if (blocking) {
                kernel.selector.close();
                kernel.sender.configureBlocking(true);
            }
            CompletableFuture<Long> sleeper = inBackground(
                    () -> blocking ? kernel.write(600) : kernel.selector.select());
            assertThrows(TimeoutException.class, () -> sleeper.get(200, TimeUnit.MILLISECONDS));
            while (model.qlen() > 1) {
                assertEquals(model.recvmsg(600), kernel.read(600));
                assertTrue(model.wmemAlloc > model.mostToWake());
            }
            assertThrows(TimeoutException.class, () -> sleeper.get(200, TimeUnit.MILLISECONDS));
            assertTrue(model.writable());
            assertEquals(model.recvmsg(600), kernel.read(600));
            assertTrue(model.wmemAlloc <= model.mostToWake());
            assertEquals(blocking ? 600 : 1, sleeper.get(Kit.PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
    }

    /** The timeout of a blocking write (SO_SNDTIMEO) is for each skb anew; what has room at its end still goes in. */
    @Test
    void timeoutOfABlockingWriteIsForEachSkb() throws Exception {
        Predict.Machine machine = Predict.Machine.local();
        Predict.KernelModel model = new Predict.KernelModel(machine, 65536L);
        long skb = model.skbSize(1 << 20);
        long filled = model.sendmsg(1 << 20);
        try (KernelConnection kernel = new KernelConnection(65536L)) {
            assertEquals(filled, kernel.write(1 << 20));
            kernel.selector.close();
            kernel.sender.configureBlocking(true);
            kernel.sender.socket().setSoTimeout(1000);
            CompletableFuture<Long> writer = inBackground(() -> kernel.write(1 << 20));
            assertThrows(TimeoutException.class, () -> writer.get(200, TimeUnit.MILLISECONDS));
            assertEquals(skb, kernel.read(skb));
            assertEquals(skb, writer.get(Kit.PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        List<Long> predicted = new ArrayList<>();
        long interval = TimeUnit.MINUTES.toNanos(1);
        Predict.Settings settings = new Predict.Settings(1 << 20, 1 << 20, 65536L, skb, interval, null,
                1, TimeUnit.SECONDS.toNanos(1), machine);
        Predict.simulate(settings, Predict.Strategy.BLOCKING, new Predict.Observer() {
            @Override
            public void wrote(long time, long bytes) {
                predicted.add(time);
                predicted.add(bytes);
            }
        });
        assertEquals(List.of(TimeUnit.SECONDS.toNanos(2), filled + skb), predicted);
    }

    private static CompletableFuture<Long> inBackground(Callable<Long> call) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }
}
