import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kernel.KernelModel;
import kernel.Machine;
import kernel.Observer;
import kernel.Prediction;
import kernel.Settings;
import kernel.Strategy;
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
    /** For each strategy. */
    private static final int SETTINGS = 150;
    private static final int MAX_CALLS = 10_000;

    private static final class KernelConnection implements Recorded.Connection, Closeable {
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

    @Test
    void modelMakesEveryRecordedRun() throws IOException {
        List<Recorded> runs = Recorded.here();
        assertEquals(44, runs.size());
        for (Recorded recorded : runs) {
            KernelModel model = new KernelModel(recorded.machine(), recorded.setting().sndbuf());
            assertEquals(recorded.sndbuf(), model.sndbuf());
            assertEquals(recorded, recorded.with(recorded.setting().run(
                    new Recorded.ModelConnection(model), Integer.MAX_VALUE)));
        }
    }

    /** Nothing runs at the same time, so the kernel has no choice; a seed makes a failure repeatable. */
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = {"NONBLOCKING", "POLL"})
    void modelDoesWhatThisKernelDoes(Strategy strategy) throws IOException {
        Machine machine = Machine.local();
        for (int seed = 0; seed < SETTINGS; seed++) {
            Random random = new Random(seed);
            Long sndbuf = seed % 10 == 0 ? null : Long.valueOf(anyOrder(random, 2304, machine.wmemMax()));
            KernelModel model = new KernelModel(machine, sndbuf);
            long chunk = anyOrder(random, 1, 2 << 20);
            long readSize = anyOrder(random, 1, 1 << 20);
            Recorded.Setting setting = new Recorded.Setting(strategy, sndbuf, 3 * model.sndbuf() + 2 * chunk, chunk,
                    readSize);
            try (KernelConnection kernel = new KernelConnection(sndbuf)) {
                assertEquals(kernel.sndbuf(), model.sndbuf(), setting.toString());
                List<Long> calls = setting.run(kernel, MAX_CALLS);
                assertEquals(calls, setting.run(new Recorded.ModelConnection(model), MAX_CALLS), setting.toString());
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
        Machine machine = Machine.local();
        try (KernelConnection kernel = new KernelConnection(request)) {
            assertEquals(kernel.sndbuf(), KernelModel.sndbuf(machine, request));
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
        KernelModel model = new KernelModel(Machine.local(), 2562L);
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
                assertTrue(model.wmemAlloc() > model.mostToWake());
            }
            assertThrows(TimeoutException.class, () -> sleeper.get(200, TimeUnit.MILLISECONDS));
            assertTrue(model.writable());
            assertEquals(model.recvmsg(600), kernel.read(600));
            assertTrue(model.wmemAlloc() <= model.mostToWake());
            assertEquals(blocking ? 600 : 1, sleeper.get(Kit.PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
    }

    /** The timeout of a blocking write (SO_SNDTIMEO) is for each skb anew; what has room at its end still goes in. */
    @Test
    void timeoutOfABlockingWriteIsForEachSkb() throws Exception {
        Machine machine = Machine.local();
        KernelModel model = new KernelModel(machine, 65536L);
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
        long second = TimeUnit.SECONDS.toNanos(1);
        Settings settings = Settings.on(machine).withSndbuf(65536L).withReadSize(skb).withInterval(60 * second)
                .withGiveUp(second);
        Prediction.of(settings, Strategy.BLOCKING, new Observer() {
            @Override
            public void wrote(long time, long bytes) {
                predicted.add(time);
                predicted.add(bytes);
            }
        });
        assertEquals(List.of(2 * second, filled + skb), predicted);
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
