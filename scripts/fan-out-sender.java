///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Send one stream over a unix-domain socket to many readers, one of which may be stuck
//JAVA 17+
//DEPS info.picocli:picocli:4.7.7
//DEPS com.kohlschutter.junixsocket:junixsocket-core:2.11.1@pom
//DEPS com.kohlschutter.junixsocket:junixsocket-common com.kohlschutter.junixsocket:junixsocket-native-common
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmn4m

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.newsclub.net.unix.AFUNIXDatagramChannel;
import org.newsclub.net.unix.AFUNIXServerSocketChannel;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;
import org.newsclub.net.unix.AFUNIXSocketPair;
import org.newsclub.net.unix.ConnectionRefusedSocketException;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Sends one stream to every reader that connects, in one thread with one selector. The readers share one ring of bytes
 * and each has its place in it: memory grows neither with the readers nor with time. When the ring is full and nobody
 * took a byte for half a second, {@code --lag} says what becomes of the reader that holds it up.
 *
 * <p>Usage: {@code tail -f log | jbang fan-out-sender.java -i -}; a reader: {@code socat -u UNIX:slow_receiver.sock -}.
 * It starts with the newest byte; what it sends is ignored.
 *
 * <p>Limits: bytes, not messages: a skip cuts where it cuts. The end waits for readers that are behind, or --give-up.
 */
@CommandLine.Command(name = "fan-out-sender", version = "fan-out-sender 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "Sends one stream to every reader that connects to a unix-domain socket.")
class FanOutSender implements Callable<Integer> {
    enum Lag { wait, drop, skip }

    /** Begin when so many readers are there; end with the input, or after so many bytes. */
    record Rules(int readers, long size, Lag lag, long giveUpMillis) { }

    /** Is told how many bytes a reader was "wrote" or "skipped", or at which byte of the stream it was lost. */
    interface Log { void tell(int reader, String event, long bytes); }

    /**
     * Reads what the ring has room for and offers every reader what it has not got, whenever poll reports anything;
     * until the input has ended and all have what they shall get. A SelectableChannel as {@code input} is waited for
     * as the readers are; any other must not block.
     */
    static void fanOut(ServerSocketChannel server, ReadableByteChannel input, Ring ring, Rules rules, Log log)
            throws IOException {
        List<Reader> readers = new ArrayList<>();
        try (Selector selector = server.provider().openSelector()) {
            SelectionKey accept = server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            SelectionKey live = input instanceof SelectableChannel channel
                    ? channel.configureBlocking(false).register(selector, SelectionKey.OP_READ) : null;
            boolean begun = false, more = true; // more: the input is to be read on, as there is room
            int read = 0, come = 0, most = Integer.MAX_VALUE;
            do {
                boolean silent = !select(selector, more && live == null ? 0 : ring.tail < ring.head ? 500 : 30_000);
                ring.polled = System.nanoTime(); // a reader is judged by then: in the meantime it may have made room
                for (SelectionKey key : selector.selectedKeys())
                    if (key.attachment() instanceof Reader reader) reader.waiting = false; // whatever the key says
                selector.selectedKeys().clear(); // select counts only what is not in there yet
                try {
                    for (SocketChannel next; readers.size() < most && (next = server.accept()) != null;)
                        readers.add(new Reader(++come, next, selector, ring.head));
                } catch (IOException e) {
                    most = readers.size(); // no descriptor is left until one of them has gone
                    log.tell(come + 1, "refused at byte", ring.head);
                }
                begun |= readers.size() >= rules.readers;
                if (begun && read >= 0) read = ring.fill(input, rules.size);
                ring.stuck = silent && ring.room() == 0;
                if (silent) readers.forEach(reader -> reader.waiting = reader.lost); // poll does not tell all
                readers.removeIf(reader -> reader.ends(ring, rules, log));
                ring.tail = readers.stream().filter(reader -> !reader.lost).mapToLong(reader -> reader.place).min()
                        .orElse(ring.head);
                accept.interestOps(readers.size() < most && ring.room() > 0 ? SelectionKey.OP_ACCEPT : 0);
                more = begun && read >= 0 && ring.room() > 0;
                if (live != null) live.interestOps(more ? SelectionKey.OP_READ : 0);
            } while (read >= 0 || ring.tail < ring.head);
            readers.forEach(reader -> reader.skip(ring, log));
        } finally {
            readers.forEach(Reader::leave);
        }
    }

    /** Waits until poll reports anything; false: in vain. No wait for 0 ms, as java.nio's select(0) waits for ever. */
    private static boolean select(Selector selector, long millis) throws IOException {
        try {
            return (millis > 0 ? selector.select(millis) : selector.selectNow()) > 0 || millis == 0;
        } catch (SocketException e) {
            return true; // a signal interrupted junixsocket's poll
        }
    }

    /** The newest bytes of the stream, byte number n at n modulo the capacity. */
    static final class Ring {
        private final ByteBuffer bytes;
        private long head, tail; // how many bytes have been read; the number of the first one that is still needed
        private long polled; // when poll last returned
        private boolean stuck; // it was full and nobody took a byte for half a second

        Ring(int capacity) {
            bytes = ByteBuffer.allocateDirect(capacity); // a heap buffer would be copied on every try to write
        }

        private long room() {
            return bytes.capacity() - (head - tail);
        }

        /** The bytes from one number to another, or as far as the memory goes, where the ring begins again. */
        private ByteBuffer part(long from, long to) {
            int start = (int) (from % bytes.capacity());
            return bytes.clear().limit((int) Math.min(start + to - from, bytes.capacity())).position(start);
        }

        /** Reads what there is room for; 0: no room, or nothing to read yet; -1: the end. */
        private int fill(ReadableByteChannel input, long size) throws IOException {
            long end = Math.min(size, head + room());
            int n = head < end ? input.read(part(head, end)) : 0;
            head += Math.max(n, 0);
            return head < size ? n : -1;
        }
    }

    private static final class Reader {
        private final int number;
        private final SocketChannel channel;
        private final SelectionKey key;
        private long place, took; // the number of the first byte that it has not got; when it last took one
        private boolean waiting, lost; // for room, as its last write was short; its place, as it took too long

        Reader(int number, SocketChannel channel, Selector selector, long place) throws IOException {
            this.number = number;
            this.channel = channel;
            this.place = place;
            key = channel.configureBlocking(false).register(selector, 0, this);
        }

        /** Offers it what it has not got; true: it has gone, or had to. */
        private boolean ends(Ring ring, Rules rules, Log log) {
            String event = "gone at byte";
            try {
                write(ring, log);
                boolean late = waiting && ring.stuck && place == ring.tail;
                boolean drop = late && rules.lag == Lag.drop
                        || waiting && (ring.polled - took) / 1_000_000 > rules.giveUpMillis;
                lost |= late && rules.lag == Lag.skip;
                if (drop) event = "dropped at byte";
                else if (key.isValid()) return false; // junixsocket says once that it hung up
            } catch (IOException e) { } // it has gone
            log.tell(number, event, place);
            leave();
            return true;
        }

        private void write(Ring ring, Log log) throws IOException {
            if (!waiting) skip(ring, log);
            while (!waiting && place < ring.head) {
                ByteBuffer part = ring.part(place, ring.head);
                int n = channel.write(part);
                waiting = part.hasRemaining();
                place += n;
                if (n > 0) took = ring.polled;
                if (n > 0) log.tell(number, "wrote", n);
            }
            key.interestOps(waiting ? SelectionKey.OP_WRITE : 0); // one that has all would be reported for ever
        }

        private void skip(Ring ring, Log log) {
            if (lost) log.tell(number, "skipped", ring.head - place);
            if (lost) place = ring.head;
            lost = false;
        }

        private void leave() {
            try {
                key.cancel(); // before close: junixsocket's selector hangs on a channel that is no more
                channel.read(ByteBuffer.allocate(1 << 18)); // left unread, what it sent would turn its end into a reset
                channel.close();
            } catch (IOException e) { } // it has gone already
        }
    }

    @Option(names = {"-s", "--socket"}, paramLabel = "PATH",
            description = "Socket to listen on (default: ${DEFAULT-VALUE}).")
    Path socket = Path.of("slow_receiver.sock");
    @Option(names = {"-n", "--size"}, paramLabel = "SIZE", description = "Zeros to send (default: 1m).") Long size;
    @Option(names = {"-i", "--input"}, paramLabel = "FILE", description = "Send FILE instead, or - for standard input.")
    Path input;
    @Option(names = "--readers", paramLabel = "N", description = "Begin when N are there, end when all have everything;"
            + " 0: begin at once, end with the input (default: ${DEFAULT-VALUE}).")
    int readers = 0;
    @Option(names = "--keep", paramLabel = "SIZE", description = "Bytes kept for slow readers (default: 1m).")
    Long keep = 1L << 20;
    @Option(names = "--lag", paramLabel = "HOW", description = "When a reader is all these bytes behind, wait for it,"
            + " drop it, or skip to the newest: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    Lag lag = Lag.drop;
    @Option(names = "--give-up", paramLabel = "DURATION", description = "Drop a reader that took nothing for so long.")
    Duration giveUp = Duration.ofMillis(Long.MAX_VALUE);

    @Override
    public Integer call() throws IOException {
        check(!socket.toString().isEmpty() && socket.toString().getBytes().length < 108, "--socket: 1 to 107 bytes");
        check(size == null || input == null, "--size excludes --input");
        String tmp = System.getProperty("org.newsclub.net.unix.library.tmpdir", System.getProperty("java.io.tmpdir"));
        if (!Path.of(tmp).toFile().canWrite())
            throw new IOException(tmp + ": not writable; name a place with -Dorg.newsclub.net.unix.library.tmpdir=DIR");
        long most = input != null ? Long.MAX_VALUE : size != null ? size : 1 << 20;
        Rules rules = new Rules(readers, most, lag, giveUp.toMillis());
        try (ReadableByteChannel bytes = open(); ServerSocketChannel server = listen()) {
            System.err.println("fan-out-sender: listening on " + socket);
            fanOut(server, bytes, new Ring((int) Math.min(keep, 1 << 30)), rules, FanOutSender::tell);
            return 0;
        }
    }

    private static void tell(int reader, String event, long bytes) {
        if (event.equals("wrote")) System.out.println("reader " + reader + ": wrote " + bytes + " bytes");
        else System.err.println("fan-out-sender: reader " + reader + ": " + event + " " + bytes);
    }

    /** Zeros and a regular file never block. Anything else, as a pipe of the shell, does, and goes into no selector. */
    private ReadableByteChannel open() throws IOException {
        String name = input == null ? "/dev/zero" : input.toString();
        FileInputStream file = name.equals("-") ? new FileInputStream(FileDescriptor.in) : new FileInputStream(name);
        if (input == null || Files.isRegularFile(input)) return file.getChannel();
        AFUNIXSocketPair<AFUNIXSocketChannel> pair = AFUNIXSocketPair.open();
        Thread copier = new Thread(() -> {
            try {
                file.transferTo(Channels.newOutputStream(pair.getSocket2()));
                pair.getSocket2().shutdownOutput(); // close would hang up, and the selector forget what is unread
            } catch (IOException e) {
                throw new UncheckedIOException(input + ": " + e.getMessage(), e);
            }
        });
        copier.setDaemon(true);
        copier.start();
        return pair.getSocket1();
    }

    /** Listens, after a look at what is there: bind would remove it, be it a file or a link. */
    private AFUNIXServerSocketChannel listen() throws IOException {
        // Where the locale lacks the name of the working directory, the JDK finds nothing in it but by another name.
        Path file = Files.exists(Path.of(".")) ? socket : Path.of("/proc/self/cwd").resolve(socket);
        AFUNIXSocketAddress address = AFUNIXSocketAddress.of(socket);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if ((mode & 0170000) != 0140000) // S_IFMT, S_IFSOCK
                throw new FileSystemException(socket.toString(), null, "exists and is not a socket; take another path");
            try (AFUNIXDatagramChannel probe = AFUNIXDatagramChannel.open()) {
                probe.connect(address); // a stream socket refuses it unseen, where a connection would disturb
            } catch (ConnectionRefusedSocketException e) {
                Files.delete(file); // nobody listens
            } catch (SocketException e) { } // bind will say that it is in use
        }
        AFUNIXServerSocketChannel server = AFUNIXServerSocketChannel.open();
        server.socket().setReuseAddress(false); // true, the default, replaces even a live socket
        server.setDeleteOnClose(false); // would delete by path, whosoever file is there by then
        server.bind(address, 1000);
        Object own = Files.getAttribute(file, "fileKey", LinkOption.NOFOLLOW_LINKS);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(file, own)));
        Files.setAttribute(file, "unix:mode", 0600); // bind gives 666, whatever the umask
        return server;
    }

    /** Removes the socket file at the end, and at a signal, if it is the one (device and inode) that bind made. */
    private static void remove(Path file, Object own) {
        try {
            if (own.equals(Files.getAttribute(file, "fileKey", LinkOption.NOFOLLOW_LINKS))) Files.delete(file);
        } catch (IOException e) { } // somebody removed it already
    }

    public static void main(String... args) {
        FanOutSender sender = new FanOutSender();
        CommandLine command = new CommandLine(sender).setExpandAtFiles(false);
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> System.exit(sender.failed(e))); // no memory
        int status = command.registerConverter(Long.class, text -> size(text))
                .registerConverter(Duration.class, text -> duration(text))
                .registerConverter(int.class, text -> count(text))
                .setParameterExceptionHandler((e, rejected) -> sender.failed(e))
                .setExecutionExceptionHandler((e, same, parsed) -> sender.failed(e)).execute(args);
        System.exit(status == 0 && System.out.checkError() ? sender.failed(new IOException("output is lost")) : status);
    }

    private int failed(Throwable e) {
        boolean usage = e instanceof CommandLine.PicocliException;
        String where = e instanceof SocketException ? socket + ": " : "";
        System.err.println("fan-out-sender: " + where + e.getMessage() + (usage ? " (see --help)" : ""));
        return usage ? 2 : 1;
    }

    private static long size(String text) {
        check(text.matches("(?=.*[1-9])(\\d{1,12}|\\d{1,9}[kmg])"),
                "'" + text + "' is not a size such as 4096, 20k, 1m or 5g");
        return Long.parseLong(text.replaceAll("\\D", "")) << 10 * ("kmg".indexOf(text.charAt(text.length() - 1)) + 1);
    }

    private static Duration duration(String text) {
        check(text.matches("\\d{1,8}m|\\d{1,8}(\\.\\d{1,3})?m?s"),
                "'" + text + "' is not a duration such as 100ms, 1.5s or 2m");
        return Duration.parse("PT" + text.replace("ms", "s")).dividedBy(text.endsWith("ms") ? 1000 : 1);
    }

    private static int count(String text) {
        check(text.matches("\\d{1,9}"), "'" + text + "' is not a number such as 0, 1 or 20");
        return Integer.parseInt(text);
    }

    private static void check(boolean good, String message) {
        if (!good) throw new CommandLine.TypeConversionException(message);
    }
}
