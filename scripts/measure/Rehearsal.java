package measure;

import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Sends to nobody in particular before a sender is measured: a JVM loads and compiles each thing when it first comes to
 * it, which takes some tens of milliseconds that would be taken for the strategy's.
 */
final class Rehearsal {
    private static final Path SOCKET = Path.of("rehearsal.sock");
    private static final int WRITES = 3000;
    private static final int BYTES = 4096;

    private Rehearsal() { }

    /** Does with a small task of this kind all that will be done with it, in this thread, but for what it prints. */
    static void of(Task task, Send strategy) throws IOException, InterruptedException {
        Task small = new Task(task.name(), task.strategy(), SOCKET.toString(), (long) WRITES * BYTES, null, BYTES,
                task.sndbuf(), 0, task.heartbeat(), task.timeout(), null, task.crc32c());
        EventLog unheard = new EventLog(OutputStream.nullOutputStream());
        Meter meter = new Meter(small, unheard);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(SOCKET))) {
            Thread reader = new Thread(() -> drain(server));
            reader.start();
            try (Payload payload = new Payload(small); SocketChannel channel = Connecting.connect(small)) {
                meter.start();
                strategy.send(channel, payload, meter::wrote, meter::otherWork);
                unheard.log("done", meter.figures());
                unheard.flush();
            }
            reader.join();
        } finally {
            Files.deleteIfExists(SOCKET);
        }
    }

    private static void drain(ServerSocketChannel server) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(16 * BYTES);
        try (SocketChannel channel = server.accept()) {
            for (int n = 0; n >= 0; n = channel.read(buffer.clear())) { }
        } catch (IOException e) {
            return; // the sender then says what is wrong
        }
    }
}
