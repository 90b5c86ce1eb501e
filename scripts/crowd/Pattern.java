package crowd;

import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.zip.CRC32C;

/**
 * The stream that every reader gets, in one buffer for all of them: byte p is p modulo a prime, so that loss and
 * reordering show.
 */
final class Pattern {
    private static final int PERIOD = 251;

    private final long size;
    private final int chunk;
    private final ByteBuffer bytes;

    /**
     * @param size of the stream in bytes
     * @param chunk most bytes in one buffer
     */
    Pattern(long size, long chunk) {
        this.size = size;
        this.chunk = (int) Math.min(chunk, Math.max(1, size));
        bytes = ByteBuffer.allocateDirect(Math.addExact(this.chunk, PERIOD));
        for (int p = 0; bytes.hasRemaining(); p++) {
            bytes.put((byte) (p % PERIOD));
        }
    }

    /** The bytes from this place on, at most a chunk; none at the end. */
    ByteBuffer part(long from) {
        int start = (int) (from % PERIOD);
        return bytes.duplicate().limit(start + (int) Math.min(chunk, size - from)).position(start);
    }

    /** The same as an input that never blocks. */
    ReadableByteChannel channel() {
        return new ReadableByteChannel() {
            private long place;

            @Override
            public int read(ByteBuffer buffer) {
                ByteBuffer part = part(place);
                int n = Math.min(part.remaining(), buffer.remaining());
                buffer.put(part.limit(part.position() + n));
                place += n;
                return n == 0 && place == size ? -1 : n;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() { }
        };
    }

    /** The checksum of all of it. */
    long crc32c() {
        CRC32C crc = new CRC32C();
        for (long from = 0; from < size; from += chunk) {
            crc.update(part(from));
        }
        return crc.getValue();
    }
}
