import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import kernel.Machine;
import kernel.Prediction;
import kernel.Settings;
import kernel.Strategy;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The model of a blocking write in a virtual thread against the JDK's own, which parks in a poll. */
class VirtualModelTest {
    /** The reader reads when all writes that the model has before that read are done; none may be left over then. */
    @ParameterizedTest
    @CsvSource({"1048576, 1048576, 20480", "262144, 256, 20480", "241390, 15156, 1319", "500000, 100000, 50000"})
    @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads need Java 21")
    void virtualThreadWritesAsPredicted(long size, int chunk, int readSize) throws Exception {
        Recorded.Calls predicted = new Recorded.Calls();
        Prediction.of(Settings.on(Machine.local()).withSize(size).withChunk(chunk).withReadSize(readSize),
                Strategy.VIRTUAL, predicted);
        BlockingQueue<Long> writes = new LinkedBlockingQueue<>();
        try (Kit kit = new Kit(); ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            UnixDomainSocketAddress address = UnixDomainSocketAddress.of(kit.dir.resolve("socket"));
            server.bind(address);
            try (SocketChannel sender = SocketChannel.open(address); SocketChannel receiver = server.accept()) {
                Thread.class.getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, (Runnable) () -> send(sender, size, chunk, writes));
                ByteBuffer buffer = ByteBuffer.allocateDirect(readSize);
                for (long call : predicted.calls) {
                    if (call > 0) {
                        assertEquals(call, writes.poll(Kit.PATIENCE_SECONDS, TimeUnit.SECONDS));
                    } else {
                        assertEquals(List.of(), List.copyOf(writes), "no other write before a read");
                        assertEquals(-call, receiver.read(buffer.clear()));
                    }
                }
                assertTrue(writes.isEmpty());
            }
        }
    }

    private static void send(SocketChannel channel, long size, int chunk, BlockingQueue<Long> writes) {
        try {
            ByteBuffer buffer = ByteBuffer.allocateDirect(chunk);
            for (long unsent = size; unsent > 0;) {
                buffer.clear().limit((int) Math.min(chunk, unsent));
                while (buffer.hasRemaining()) {
                    long sent = channel.write(buffer);
                    unsent -= sent;
                    writes.add(sent);
                }
            }
        } catch (IOException e) {
            writes.add(-1L);
        }
    }
}
