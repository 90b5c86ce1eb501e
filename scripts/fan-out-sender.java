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
import org.newsclub.net.unix.OperationNotSupportedSocketException;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Sends one stream to every reader that connects, in one thread with one selector. The readers share one ring of bytes
 * and each has its place in it: memory grows neither with the readers nor with time. When the ring is full and nobody
 * took a byte for half a second, {@code --lag} says what becomes of the reader that holds it up.
 *
 * <p>Usage: {@code tail -f log | jbang fan-out-sender.java -i -}; a reader: {@code socat -u UNIX:slow_receiver.sock -}.
 * It starts with the newest byte; what it sends is ignored. Standard input blocks whoever reads it, and a pipe of the
 * shell goes into no selector: therefore a second thread copies it into a socket pair, which does.
 *
 * <p>Limits: bytes, not messages: a skip cuts where it cuts. The end waits for readers that are behind, or --give-up.
 */
@CommandLine.Command(name = "fan-out-sender", version = "fan-out-sender 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "Sends one stream to every reader that connects to a unix-domain socket.")
class FanOutSender implements Callable<Integer> {
    private static final int S_IFMT = 0170000;
    private static final int S_IFSOCK = 0140000;

    enum Lag { wait, drop, skip }

    enum Event { wrote, skipped, dropped, expired, gone, refused }

    /** Begin when so many readers are there; end with the input, or after so many bytes. */
    record Rules(int readers, long size, Lag lag, long giveUpMillis) { }

    /** Is told how many bytes a reader was written or skipped, or at which byte of the stream it was lost. */
    interface Log { void tell(int reader, Event event, long bytes); }

    /**
     * Reads what the ring has room for, waits until poll reports anything, offers every reader what it has not got;
     * until the input has ended and all have what they shall get. A SelectableChannel as {@code input} is waited for
     * as the readers are; any other must not block.
     */
    static void fanOut(ServerSocketChannel server, ReadableByteChannel input, Ring ring, Rules rules, Log log)
            throws IOException {
        List<Reader> readers = new ArrayList<>();
        try (Selector selector = server.provider().openSelector()) {
            SelectionKey accept = server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            SelectionKey live = input instanceof SelectableChannel channel
                    ? channel.configureBlocking(false).register(selector, 0) : null;
            boolean begun = false;
            for (int read = 0; read >= 0 || ring.tail < ring.head;) {
                begun |= readers.size() >= rules.readers;
                read = begun && read >= 0 ? ring.fill(input, rules.size) : read;
                if (live != null) // a full ring, or the end, would be reported again and again
                    live.interestOps(begun && read >= 0 && ring.room() > 0 ? SelectionKey.OP_READ : 0);
                boolean behind = ring.tail < ring.head;
                if (!select(selector, read > 0 || read < 0 && !behind ? 0 : behind ? 100 : 30_000))
                    readers.forEach(reader -> reader.waiting = reader.place < ring.tail); // poll does not tell all
                ring.polled = System.nanoTime(); // a reader is judged by then: in the meantime it may have made room
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key == accept) accept(accept, readers, ring, log);
                    if (key.attachment() instanceof Reader reader) reader.waiting = false; // whatever the key says
                }
                selector.selectedKeys().clear(); // select counts only what is not in there yet
                if (ring.offer(readers, rules, log)) accept.interestOps(SelectionKey.OP_ACCEPT); // one has gone
            }
        } finally {
            readers.forEach(reader -> reader.leave(ring, log));
        }
    }

    /** Waits until poll reports anything; false: in vain. No wait for 0 ms, as java.nio's select(0) waits for ever. */
    private static boolean select(Selector selector, long millis) throws IOException {
        try {
            return (millis > 0 ? selector.select(millis) : selector.selectNow()) > 0 || millis == 0;
        } catch (SocketException e) { // a signal interrupted junixsocket's poll
            return false;
        }
    }

    private static void accept(SelectionKey accept, List<Reader> readers, Ring ring, Log log) {
        ServerSocketChannel server = (ServerSocketChannel) accept.channel();
        try {
            for (SocketChannel next = server.accept(); next != null; next = server.accept()) {
                readers.add(new Reader(++ring.readers, next, accept.selector(), ring.head));
            }
        } catch (IOException e) {
            accept.interestOps(0); // no descriptor is left, and poll would report this again and again
            log.tell(ring.readers + 1, Event.refused, ring.head);
        }
    }

    /** The newest bytes of the stream, byte number n at n modulo the capacity. */
    static final class Ring {
        private final ByteBuffer bytes;
        private long head, tail; // how many bytes have been read; the number of the first one that is still needed
        private long moved, polled; // when a byte last came in or went out; when poll last returned
        private int readers; // how many have come

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
            int n = head < end ? input.read(part(head, end)) : head < size ? 0 : -1;
            head += Math.max(n, 0);
            moved = n > 0 ? System.nanoTime() : moved;
            return n;
        }

        /** Offers all readers what they have not got; at the tail of a ring that is stuck they lose their place. */
        private boolean offer(List<Reader> readers, Rules rules, Log log) {
            long kept = tail;
            tail = head;
            boolean gone = readers.removeIf(reader -> reader.ends(this, kept, rules, log));
            if (room() > 0 || rules.lag == Lag.wait || polled - moved < 500_000_000) return gone;
            tail++;
            return offer(readers, rules, log) | gone;
        }
    }

    private static final class Reader {
        private final int number;
        private final SocketChannel channel;
        private final SelectionKey key;
        private long place; // number of the first byte that it has not got
        private long took = System.nanoTime(); // when it last took a byte
        private boolean waiting; // for room: its last write was short or refused

        Reader(int number, SocketChannel channel, Selector selector, long place) throws IOException {
            this.number = number;
            this.channel = channel;
            this.place = place;
            key = channel.configureBlocking(false).register(selector, 0, this);
        }

        /** Offers it what it has not got; true: it has gone, or had to. */
        private boolean ends(Ring ring, long kept, Rules rules, Log log) {
            Event end = null;
            try {
                if (!waiting && place < kept) skip(ring, log);
                write(ring, log);
                if (waiting && place < kept && rules.lag == Lag.drop) end = Event.dropped;
                if (waiting && (ring.polled - took) / 1_000_000 > rules.giveUpMillis) end = Event.expired;
                if (!key.isValid()) end = Event.gone; // junixsocket says once that it hung up
            } catch (IOException e) {
                end = Event.gone;
            }
            if (end == null && place >= kept) ring.tail = Math.min(ring.tail, place);
            if (end == null) return false;
            log.tell(number, end, place);
            place = ring.head;
            leave(ring, log);
            return true;
        }

        private void write(Ring ring, Log log) throws IOException {
            while (!waiting && place < ring.head) {
                ByteBuffer part = ring.part(place, ring.head);
                int n = channel.write(part);
                waiting = part.hasRemaining();
                if (n == 0) break;
                place += n;
                took = ring.moved = System.nanoTime();
                log.tell(number, Event.wrote, n);
            }
            int ops = waiting ? SelectionKey.OP_WRITE : 0; // a reader that has everything would be reported for ever
            if (ops != key.interestOps()) key.interestOps(ops);
        }

        private void skip(Ring ring, Log log) {
            if (place < ring.head) log.tell(number, Event.skipped, ring.head - place);
            place = ring.head;
        }

        private void leave(Ring ring, Log log) {
            skip(ring, log);
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
        if (socket.toString().isEmpty() || socket.toString().getBytes().length > 107)
            throw new CommandLine.TypeConversionException("--socket must have 1 to 107 bytes: " + socket);
        String tmp = System.getProperty("org.newsclub.net.unix.library.tmpdir", System.getProperty("java.io.tmpdir"));
        if (!Path.of(tmp).toFile().canWrite())
            throw new IOException(tmp + ": not writable; name a place with -Dorg.newsclub.net.unix.library.tmpdir=DIR");
        long most = input != null ? Long.MAX_VALUE : size != null ? size : 1 << 20;
        Rules rules = new Rules(readers, most, lag, giveUp.toMillis());
        try (ReadableByteChannel bytes = open(); ServerSocketChannel server = listen(1000)) {
            System.err.println("fan-out-sender: listening on " + socket);
            fanOut(server, bytes, new Ring((int) Math.min(keep, 1 << 30)), rules, FanOutSender::tell);
            return 0;
        }
    }

    private static void tell(int reader, Event event, long bytes) {
        String unit = event == Event.wrote || event == Event.skipped ? " " + bytes + " bytes" : " at byte " + bytes;
        if (event == Event.wrote) System.out.println("reader " + reader + ": " + event + unit);
        else System.err.println("fan-out-sender: reader " + reader + ": " + event + unit);
    }

    /** Zeros and a regular file never block; anything else, be it a pipe or a terminal, gets a thread that may. */
    private ReadableByteChannel open() throws IOException {
        String name = input == null ? "/dev/zero" : input.toString();
        if (size != null && input != null) throw new CommandLine.TypeConversionException("--size excludes --input");
        if (name.isEmpty()) throw new CommandLine.TypeConversionException("--input must name a file");
        FileInputStream file = name.equals("-") ? new FileInputStream(FileDescriptor.in) : new FileInputStream(name);
        if (input == null || Files.isRegularFile(input)) return file.getChannel();
        AFUNIXSocketPair<AFUNIXSocketChannel> pair = AFUNIXSocketPair.open();
        Thread copier = new Thread(() -> {
            try {
                file.transferTo(Channels.newOutputStream(pair.getSocket2()));
                pair.getSocket2().shutdownOutput();
            } catch (IOException e) {
                throw new UncheckedIOException(input + ": " + e.getMessage(), e);
            }
        });
        copier.setDaemon(true);
        copier.start();
        return pair.getSocket1();
    }

    /** Listens, after a look at what is there: bind would remove it, be it a file, a link or another's live socket. */
    private AFUNIXServerSocketChannel listen(int backlog) throws IOException {
        // Where the locale lacks the name of the working directory, the JDK finds nothing in it but by another name.
        Path file = Files.exists(Path.of(".")) ? socket : Path.of("/proc/self/cwd").resolve(socket);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            int type = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS) & S_IFMT;
            if (type != S_IFSOCK) {
                throw new FileSystemException(socket.toString(), null, "exists and is not a socket; take another path");
            }
            if (isInUse()) {
                throw new FileSystemException(socket.toString(), null, "another receiver is listening");
            }
            Files.delete(file);
        }
        AFUNIXServerSocketChannel server = AFUNIXServerSocketChannel.open();
        server.socket().setReuseAddress(false); // true, the default, replaces even a live socket
        server.setDeleteOnClose(false); // would delete by path, whosoever file is there by then
        server.bind(AFUNIXSocketAddress.of(socket), backlog);
        Object own = Files.getAttribute(file, "fileKey", LinkOption.NOFOLLOW_LINKS);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(file, own)));
        Files.setAttribute(file, "unix:mode", 0600); // bind gives 666, whatever the umask
        return server;
    }

    /** Asks with a datagram socket, which a stream socket refuses unseen: a connection would disturb the receiver. */
    private boolean isInUse() throws IOException {
        try (AFUNIXDatagramChannel probe = AFUNIXDatagramChannel.open()) {
            probe.connect(AFUNIXSocketAddress.of(socket));
            return true;
        } catch (OperationNotSupportedSocketException e) {
            return true; // EPROTOTYPE: a stream socket
        } catch (ConnectionRefusedSocketException e) {
            return false;
        }
    }

    /** Removes the socket file at the end, and at a signal, if it is the one (device and inode) that bind made. */
    private static void remove(Path file, Object own) {
        try {
            if (own.equals(Files.getAttribute(file, "fileKey", LinkOption.NOFOLLOW_LINKS))) {
                Files.delete(file);
            }
        } catch (IOException e) {
            // Somebody removed it already.
        }
    }

    public static void main(String... args) {
        System.exit(new FanOutSender().run(args));
    }

    private int run(String... args) {
        CommandLine command = new CommandLine(this).setExpandAtFiles(false);
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> System.exit(failed(command, e))); // no memory
        int code = command.registerConverter(Long.class, text -> size(text))
                .registerConverter(Duration.class, text -> duration(text))
                .registerConverter(int.class, text -> count(text))
                .setParameterExceptionHandler((e, rejected) -> failed(command, e))
                .setExecutionExceptionHandler((e, same, parsed) -> failed(command, e)).execute(args);
        return code == 0 && System.out.checkError() ? failed(command, new IOException("stdout: not writable")) : code;
    }

    private int failed(CommandLine command, Throwable e) {
        boolean usage = e instanceof CommandLine.PicocliException;
        String where = e instanceof SocketException ? socket + ": " : "";
        System.err.println(command.getCommandName() + ": " + where + e.getMessage() + (usage ? " (see --help)" : ""));
        return usage ? 2 : 1;
    }

    private static long size(String text) {
        if (!text.matches("(?=.*[1-9])(\\d{1,12}|\\d{1,9}[kmg])"))
            throw new CommandLine.TypeConversionException("'" + text + "' is not a size such as 4096, 20k, 1m or 5g");
        return Long.parseLong(text.replaceAll("\\D", "")) << 10 * ("kmg".indexOf(text.charAt(text.length() - 1)) + 1);
    }

    private static Duration duration(String text) {
        if (!text.matches("\\d{1,8}m|\\d{1,8}(\\.\\d{1,3})?m?s"))
            throw new CommandLine.TypeConversionException("'" + text + "' is not a duration such as 100ms, 1.5s or 2m");
        return Duration.parse("PT" + text.replace("ms", "s")).dividedBy(text.endsWith("ms") ? 1000 : 1);
    }

    private static int count(String text) {
        if (!text.matches("\\d{1,9}"))
            throw new CommandLine.TypeConversionException("'" + text + "' is not a number such as 0, 1 or 20");
        return Integer.parseInt(text);
    }
}
