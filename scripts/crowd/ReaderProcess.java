package crowd;

import cli.Units;
import com.google.gson.Gson;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import results.ManyReaders.Delivery;
import results.ManyReaders.Progress;

/**
 * The process that is all readers at once: connects them in order, reads as fast as it can from all but the stuck ones,
 * and prints what it got when all others have everything or the deadline is over. Then all of them go at once.
 */
public final class ReaderProcess {
    /** More than a socket's queue holds by default. */
    private static final int BUFFER = 256 << 10;

    private final long size;
    private final int stuck;
    private final List<Connection> connections = new ArrayList<>();
    private final List<Boolean> isStuck;
    private final Samples samples;
    private final long expectedCrc;
    private int unfinished;
    private long lastServed;
    private long stopped;

    /** What is printed; the error is null if all that was served is as it was sent. */
    record Report(String error, Delivery delivery, Progress progress) { }

    private ReaderProcess(int readers, int stuck, long size) {
        this.size = size;
        this.stuck = stuck;
        isStuck = IntStream.range(0, readers).mapToObj(i -> isStuck(i, readers, stuck)).toList();
        samples = new Samples(readers);
        expectedCrc = new Pattern(size, 1 << 20).crc32c();
        unfinished = size == 0 ? 0 : readers - stuck;
    }

    /** The stuck ones are as far apart as can be: of one, as many come before it as after. */
    static boolean isStuck(int index, int readers, int stuck) {
        return IntStream.range(0, stuck).anyMatch(i -> (2L * i + 1) * readers / (2L * stuck) == index);
    }

    /** The arguments: socket, readers, stuck ones among them, bytes of the stream, nanoseconds to the deadline. */
    public static void main(String... arguments) throws IOException {
        int readers = Integer.parseInt(arguments[1]);
        ReaderProcess process = new ReaderProcess(readers, Integer.parseInt(arguments[2]),
                Long.parseLong(arguments[3]));
        try (Selector selector = Selector.open()) {
            process.connect(UnixDomainSocketAddress.of(arguments[0]), readers, selector);
            process.read(selector, Long.parseLong(arguments[4]));
            System.out.println(new Gson().toJson(process.report()));
        } catch (IOException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private void connect(UnixDomainSocketAddress address, int readers, Selector selector) throws IOException {
        for (int i = 0; i < readers; i++) {
            SocketChannel channel = SocketChannel.open(address);
            Connection connection = new Connection(channel, size);
            connections.add(connection);
            if (!isStuck.get(i)) {
                channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, connection);
            }
        }
    }

    private void read(Selector selector, long deadline) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        long began = System.nanoTime();
        samples.offer(0, connections);
        for (long now = 0; unfinished > 0; now = System.nanoTime() - began) {
            if (now >= deadline) {
                stopped = now;
                break;
            }
            if (selector.select(Math.max(1, (deadline - now) / 1_000_000)) > 0) {
                for (SelectionKey key : selector.selectedKeys()) {
                    read(key, buffer, began);
                }
                selector.selectedKeys().clear();
                samples.offer(System.nanoTime() - began, connections);
            }
        }
        samples.end(System.nanoTime() - began, connections);
    }

    private void read(SelectionKey key, ByteBuffer buffer, long began) {
        Connection connection = (Connection) key.attachment();
        boolean wasOver = connection.isOver();
        if (!connection.read(buffer)) {
            key.cancel();
        }
        if (connection.isOver() && !wasOver) {
            unfinished--;
            lastServed = connection.hasAll() ? System.nanoTime() - began : lastServed;
        }
    }

    private Report report() {
        long corrupt = connections.stream().filter(connection -> connection.isCorrupt(expectedCrc)).count();
        int served = (int) IntStream.range(0, connections.size()).filter(i -> !isStuck.get(i))
                .mapToObj(connections::get).filter(Connection::hasAll)
                .filter(connection -> !connection.isCorrupt(expectedCrc)).count();
        long bytes = connections.stream().mapToLong(Connection::bytes).sum();
        boolean all = served == connections.size() - stuck;
        return new Report(corrupt == 0 ? null : corrupt + " readers got other bytes than were sent",
                new Delivery(served, served == 0 ? null : Units.seconds(lastServed),
                        stopped == 0 ? null : Units.seconds(stopped), bytes,
                        all && lastServed > 0 ? Math.round(bytes * 1e9 / lastServed) : null),
                samples.progress(isStuck));
    }
}
