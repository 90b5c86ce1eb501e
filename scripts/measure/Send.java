package measure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

/** A strategy as the meter calls it; one that can do no other work while it waits leaves that to its caller. */
@FunctionalInterface
public interface Send {
    /**
     * Sends all that the source has.
     *
     * @param wrote is told what each write placed, in bytes; 0: refused
     * @param otherWork does what is due; returns the milliseconds until something is due again
     */
    void send(SocketChannel channel, Source source, IntConsumer wrote, LongSupplier otherWork) throws IOException;

    /** What is sent: the buffer to send from, refilled when it is empty, with nothing remaining at the end. */
    @FunctionalInterface
    interface Source {
        ByteBuffer next() throws IOException;
    }
}
