package crowd;

import com.google.gson.Gson;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import measure.VirtualThreads;
import results.ManyReaders.Cost;

/**
 * The process that writes: listens, waits for all readers, sends each of them the stream in one way, and prints what
 * that cost. All ways use the JDK's own channels, as virtual threads can use no other, so that nothing but the way
 * differs. The first line on standard output says that it listens, the second is the cost. A reader that goes is none
 * of its failures.
 */
public final class WriterProcess {
    private final int readers;
    private final long size;
    private final long chunk;
    private final Pattern stream;
    /** With all the threads that there will be, but for what virtual ones share. */
    private Usage underWay;

    private WriterProcess(int readers, long size, long chunk) {
        this.readers = readers;
        this.size = size;
        this.chunk = chunk;
        stream = new Pattern(size, chunk);
    }

    /** Does what the arguments say, which {@link Trial} made; the exit status. */
    public static int run(FanOut poll, String... arguments) throws InterruptedException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            int readers = Integer.parseInt(arguments[2]);
            WriterProcess writer = new WriterProcess(readers, Long.parseLong(arguments[3]),
                    Long.parseLong(arguments[4]));
            server.bind(UnixDomainSocketAddress.of(arguments[1]), readers);
            Usage before = Usage.now();
            System.out.println("listening");
            writer.send(Way.valueOf(arguments[0]), server, poll);
            Cost cost = Usage.cost(before, writer.underWay, Usage.now());
            System.out.println(new Gson().toJson(cost));
            return 0;
        } catch (IOException | OutOfMemoryError e) { // which is also what a thread too many is
            System.err.println(e.getMessage());
            return 1;
        }
    }

    private void send(Way way, ServerSocketChannel server, FanOut poll) throws IOException, InterruptedException {
        switch (way) {
            case BLOCKING -> loop(server);
            case POLL -> {
                underWay = Usage.now();
                long keep = 2 * Math.min(chunk, Math.max(1, size)); // a chunk comes in while another is on its way
                poll.send(server, stream.channel(), readers, size, (int) Math.min(keep, Integer.MAX_VALUE));
            }
            case THREADS -> eachInAThread(server, Executors.newCachedThreadPool());
            case VIRTUAL -> eachInAThread(server, VirtualThreads.executor());
        }
    }

    /** Each chunk to one reader after another, as a dispatcher does. */
    private void loop(ServerSocketChannel server) throws IOException {
        List<SocketChannel> all = new ArrayList<>();
        while (all.size() < readers) {
            all.add(server.accept());
        }
        underWay = Usage.now();
        for (long place = 0; place < size;) {
            ByteBuffer part = stream.part(place);
            all.removeIf(reader -> !write(reader, part.duplicate()));
            place += part.remaining();
        }
        for (SocketChannel reader : all) {
            reader.close();
        }
    }

    /** Each thread takes the stream at its own pace, as from a file; a live one would need a queue for each as well. */
    private void eachInAThread(ServerSocketChannel server, ExecutorService threads)
            throws IOException, InterruptedException {
        CountDownLatch allConnected = new CountDownLatch(1);
        List<Future<?>> ends = new ArrayList<>();
        while (ends.size() < readers) {
            SocketChannel reader = server.accept();
            ends.add(threads.submit(() -> {
                allConnected.await();
                sendAll(reader);
                return null;
            }));
        }
        underWay = Usage.now();
        allConnected.countDown();
        try {
            for (Future<?> end : ends) {
                end.get();
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private void sendAll(SocketChannel reader) throws IOException {
        try (reader) {
            long place = 0;
            for (ByteBuffer part = stream.part(place); part.hasRemaining(); part = stream.part(place)) {
                place += part.remaining();
                if (!write(reader, part)) {
                    return;
                }
            }
        }
    }

    /** False: the reader has gone. */
    private static boolean write(SocketChannel reader, ByteBuffer part) {
        try {
            while (part.hasRemaining()) {
                reader.write(part);
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
