package crowd;

import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;

/** The strategy that serves all readers in one loop. */
@FunctionalInterface
public interface FanOut {
    /**
     * Returns when every reader that is left has everything.
     *
     * @param readers to wait for before it begins
     * @param size of the stream in bytes
     * @param keep bytes of the stream that are kept for slow readers
     */
    void send(ServerSocketChannel server, ReadableByteChannel input, int readers, long size, int keep)
            throws IOException;
}
