package crowd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.zip.CRC32C;

/** One of many readers, and what it has got so far. */
final class Connection {
    private final SocketChannel channel;
    private final long size;
    private final CRC32C crc = new CRC32C();
    private long bytes;
    private boolean ended;

    /** @param size of what it is to get, in bytes */
    Connection(SocketChannel channel, long size) {
        this.channel = channel;
        this.size = size;
    }

    /** Takes what there is, through a buffer that all share; false: it has gone, or had everything before. */
    boolean read(ByteBuffer buffer) {
        try {
            int n = channel.read(buffer.clear());
            ended = n < 0;
            bytes += Math.max(n, 0);
            crc.update(buffer.flip());
        } catch (IOException e) {
            ended = true;
        }
        return !ended;
    }

    long bytes() {
        return bytes;
    }

    /** Whether there is nothing more to wait for. */
    boolean isOver() {
        return ended || bytes >= size;
    }

    /** Whether what it got is no beginning of the stream; only of a whole one that can be told. */
    boolean isCorrupt(long wholeCrc) {
        return bytes > size || bytes == size && crc.getValue() != wholeCrc;
    }

    boolean hasAll() {
        return bytes == size;
    }
}
