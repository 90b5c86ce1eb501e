///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Send one stream over a unix-domain socket to many readers, one of which may be stuck
//JAVA 17+
//DEPS info.picocli:picocli:4.7.7
//DEPS com.kohlschutter.junixsocket:junixsocket-core:2.11.1@pom
//DEPS com.kohlschutter.junixsocket:junixsocket-common
//DEPS com.kohlschutter.junixsocket:junixsocket-native-common
//COMPILE_OPTIONS -XDstringConcat=inline
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmn4m

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Sends one stream to every reader that connects, in one thread with one selector. The readers share one ring of bytes
 * and each has its place in it: memory grows neither with the readers nor with time. When the ring is full and nobody
 * has taken a byte for half a second, {@code --lag} says what becomes of the reader that holds it up.
 *
 * <p>Usage: {@code tail -f log | jbang fan-out-sender.java -i -}; a reader: {@code socat -u UNIX:slow_receiver.sock -}.
 * It starts with the newest byte; what it sends is ignored. Standard input blocks whoever reads it, and a pipe of the
 * shell goes into no selector: therefore a second thread copies it into a socket pair, which does.
 *
 * <p>Limits: bytes, not messages: a skip cuts where it cuts. The end waits for readers that are behind, or --give-up.
 */
@Command(name = "fan-out-sender", version = "fan-out-sender 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Sends one stream to every reader that connects to a unix-domain socket.")
class FanOutSender implements Callable<Integer> {
    private static final int S_IFMT = 0170000;
    private static final int S_IFSOCK = 0140000;

    enum Lag { wait, drop, skip }

    enum Event { wrote, skipped, dropped, expired, gone, refused }

    /** Begin when so many readers are there; end with the input, or after so many bytes. */
    record Rules(int readers, long size, Lag lag, long giveUpNanos) { }

    /** Is told how many bytes a reader was written or missed, or at which byte of the stream it was lost. */
    interface Log { void tell(int reader, Event event, long bytes); }

    /**
     * The strategy: offer every reader what it has not got, read what the ring has room for, wait until poll reports
     * anything. Returns when the input has ended and every reader has what it shall get. An {@code input} that is a
     * SelectableChannel is waited for as the readers are; any other must not block.
     */
    static void fanOut(ServerSocketChannel server, ReadableByteChannel input, Ring ring, Rules rules, Log log)
            throws IOException {
        List<Reader> readers = new ArrayList<>();
        try (Selector selector = server.provider().openSelector()) {
            SelectionKey accept = server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            SelectionKey live = input instanceof SelectableChannel channel
                    ? channel.configureBlocking(false).register(selector, 0) : null;
            boolean begun = false;
            for (int read = 0;;) {
                long kept = ring.tail;
                ring.tail = ring.head;
                if (readers.removeIf(reader -> reader.ends(ring, kept, rules, log))) {
                    accept.interestOps(SelectionKey.OP_ACCEPT); // there is a descriptor for another one
                }
                if (ring.overruns(rules.lag)) {
                    continue;
                }
                begun |= readers.size() >= rules.readers;
                read = begun && read >= 0 ? ring.fill(input, rules.size) : read;
                if (read < 0 && ring.tail == ring.head) {
                    return;
                }
                if (live != null) { // a full ring, or the end, would be reported again and again
                    live.interestOps(begun && read >= 0 && ring.room() > 0 ? SelectionKey.OP_READ : 0);
                }
                if (!select(selector, read > 0 ? 0 : ring.tail < ring.head ? 100 : 30_000)) {
                    readers.forEach(reader -> reader.waiting = reader.place < ring.tail); // poll does not tell all
                }
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.attachment() instanceof Reader reader) {
                        reader.waiting = false; // whatever the key says: the write tells room from an error
                    } else if (key == accept) {
                        accept(accept, readers, ring, log);
                    }
                }
                selector.selectedKeys().clear(); // or the next select reports nothing new
            }
        } finally {
            readers.forEach(reader -> reader.leave(ring, log));
        }
    }

    /** Waits until poll reports anything, or in vain (false); 0 ms are no wait, as java.nio's select(0) never ends. */
    private static boolean select(Selector selector, long millis) throws IOException {
        try {
            return (millis > 0 ? selector.select(millis) : selector.selectNow()) > 0 || millis == 0;
        } catch (SocketException e) { // a signal has interrupted junixsocket's poll
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

    /** The newest bytes of the stream, byte number n at n modulo the capacity, and the bounds within which they are. */
    static final class Ring {
        private final ByteBuffer bytes;
        private long head, tail; // the number of bytes read so far; of the first one that somebody still needs
        private long moved; // when a byte last came in or went out
        private int readers; // so many have come

        Ring(int capacity) {
            bytes = ByteBuffer.allocateDirect(capacity); // a heap buffer would be copied on every try to write
        }

        private long room() {
            return bytes.capacity() - (head - tail);
        }

        /** Whether those at the tail of a full ring lose their place. */
        private boolean overruns(Lag lag) {
            boolean stuck = room() == 0 && lag != Lag.wait && System.nanoTime() - moved > 500_000_000;
            tail += stuck ? 1 : 0;
            return stuck;
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
    }

    private static final class Reader {
        private final int number;
        private final SocketChannel channel;
        private final SelectionKey key;
        private long place; // number of the first byte of the stream that it has not got
        private long took = System.nanoTime(); // when it last took a byte
        private boolean waiting; // for room: the last write was short or refused

        Reader(int number, SocketChannel channel, Selector selector, long place) throws IOException {
            this.number = number;
            this.channel = channel;
            this.place = place;
            key = channel.configureBlocking(false).register(selector, 0, this);
        }

        /** Offers it what it has not got; true: it has gone, or had to. */
        private boolean ends(Ring ring, long kept, Rules rules, Log log) {
            Event end = key.isValid() ? null : Event.gone; // junixsocket's word that it hung up, said only once
            try {
                offer(ring, kept, log);
            } catch (IOException e) {
                end = Event.gone;
            }
            if (end == null && waiting) {
                end = System.nanoTime() - took > rules.giveUpNanos ? Event.expired
                        : place < kept && rules.lag == Lag.drop ? Event.dropped : null;
            }
            if (end != null) {
                log.tell(number, end, place);
                place = ring.head;
                leave(ring, log);
            } else if (place >= kept) {
                ring.tail = Math.min(ring.tail, place);
            }
            return end != null;
        }

        private void offer(Ring ring, long kept, Log log) throws IOException {
            if (!waiting && place < kept) {
                skip(ring, log);
            }
            while (!waiting && place < ring.head) {
                ByteBuffer part = ring.part(place, ring.head);
                int n = channel.write(part);
                if (n > 0) {
                    place += n;
                    took = ring.moved = System.nanoTime();
                    log.tell(number, Event.wrote, n);
                }
                waiting = part.hasRemaining();
            }
            int ops = waiting ? SelectionKey.OP_WRITE : 0; // a reader that has everything would be reported for ever
            if (ops != key.interestOps()) {
                key.interestOps(ops);
            }
        }

        private void skip(Ring ring, Log log) {
            if (place < ring.head) {
                log.tell(number, Event.skipped, ring.head - place);
                place = ring.head;
            }
        }

        private void leave(Ring ring, Log log) {
            skip(ring, log);
            try {
                key.cancel(); // before close: a selector of junixsocket hangs on a channel that is no more
                channel.read(ByteBuffer.allocate(1 << 18)); // left unread, what it sent would turn its end into a reset
                channel.close();
            } catch (IOException e) {
                // It has gone already.
            }
        }
    }

    @Option(names = {"-s", "--socket"}, paramLabel = "PATH", description = "Listen here (default: ${DEFAULT-VALUE}).")
    Path socket = Path.of("slow_receiver.sock");
    @Option(names = {"-n", "--size"}, paramLabel = "SIZE", description = "Bytes to send, all zeros (default: 1m).")
    Long size;
    @Option(names = {"-i", "--input"}, paramLabel = "FILE", description = "Send FILE instead; -: standard input.")
    String input;
    @Option(names = "--readers", paramLabel = "N", description = "Begin when N are there, end when all have everything;"
            + " 0: begin at once, end with the input (default: 0).")
    Integer readers = 0;
    @Option(names = "--keep", paramLabel = "SIZE", description = "Bytes kept for slow readers (default: 1m).")
    Long keep = 1L << 20;
    @Option(names = "--lag", paramLabel = "HOW", description = "When a reader is all these bytes behind, wait, drop it or"
            + " let it skip to the newest: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    Lag lag = Lag.drop;
    @Option(names = "--give-up", paramLabel = "DURATION",
            description = "Drop a reader that is behind and took nothing for so long (default: never).")
    Duration giveUp;
    @CommandLine.Spec
    CommandLine.Model.CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        check(size == null || input == null, "--size does not go with --input");
        check(keep > 0 && keep <= Integer.MAX_VALUE, "--keep must be from 1 to 2047m");
        long most = input != null ? Long.MAX_VALUE : size != null ? size : 1 << 20;
        Rules rules = new Rules(readers, most, lag, giveUp == null ? Long.MAX_VALUE : giveUp.toNanos());
        try (ReadableByteChannel bytes = open(); ServerSocketChannel server = listen()) {
            System.err.println("fan-out-sender: listening on " + socket);
            fanOut(server, bytes, new Ring(keep.intValue()), rules, FanOutSender::tell);
            return 0;
        } catch (OutOfMemoryError e) {
            throw new FileSystemException("--keep", null, "no memory for a ring of " + keep + " bytes");
        }
    }

    private static void tell(int reader, Event event, long bytes) {
        switch (event) {
            case wrote -> System.out.println("reader " + reader + ": wrote " + bytes + " bytes");
            case skipped -> System.err.println("fan-out-sender: reader " + reader + ": skipped " + bytes + " bytes");
            default -> System.err.println("fan-out-sender: reader " + reader + ": " + event + " at byte " + bytes);
        }
    }

    /** Zeros and a regular file never block; anything else, be it a pipe or a terminal, gets a thread that may. */
    private ReadableByteChannel open() throws IOException {
        String name = input == null ? "/dev/zero" : input;
        FileInputStream file = name.equals("-") ? new FileInputStream(FileDescriptor.in) : new FileInputStream(name);
        if (input == null || Files.isRegularFile(Path.of(name))) {
            return file.getChannel();
        }
        AFUNIXSocketPair<AFUNIXSocketChannel> pair = AFUNIXSocketPair.open();
        Thread copier = new Thread(() -> {
            try {
                file.transferTo(Channels.newOutputStream(pair.getSocket2()));
                pair.getSocket2().shutdownOutput();
            } catch (IOException e) {
                System.exit(failed(1, input + ": " + e.getMessage()));
            }
        });
        copier.setDaemon(true);
        copier.start();
        return pair.getSocket1();
    }

    /** Listens, after a look at what is there: bind would remove it, be it a file, a link or another's live socket. */
    private ServerSocketChannel listen() throws IOException {
        // Where the locale lacks the name of the working directory, the JDK finds nothing in it but by another name.
        Path file = Files.exists(Path.of(".")) ? socket : Path.of("/proc/self/cwd").resolve(socket);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            int type = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS) & S_IFMT;
            if (type != S_IFSOCK) {
                throw new FileSystemException(socket.toString(), null, "exists and is not a socket; take another path");
            }
            if (isInUse()) {
                throw new FileSystemException(socket.toString(), null, "another process is listening");
            }
            Files.delete(file);
        }
        AFUNIXServerSocketChannel server = AFUNIXServerSocketChannel.open();
        server.socket().setReuseAddress(false); // true, the default, replaces even a live socket
        server.setDeleteOnClose(false); // would delete by path, whosoever file is there by then
        server.bind(AFUNIXSocketAddress.of(socket), 1000);
        Object own = Files.getAttribute(file, "fileKey", LinkOption.NOFOLLOW_LINKS);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(file, own)));
        Files.setAttribute(file, "unix:mode", 0600); // bind gives 666, whatever the umask
        return server;
    }

    /** Asks with a datagram socket, which a stream socket refuses unseen: a connection would disturb who listens. */
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

    /** Removes the socket file at the end, also at a signal, if it is still the one (device, inode) that bind made. */
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

    /** Every error is one line. */
    private int run(String... args) {
        int status = new CommandLine(this).setExpandAtFiles(false).registerConverter(Long.class, FanOutSender::size)
                .registerConverter(Integer.class, FanOutSender::count)
                .registerConverter(Duration.class, FanOutSender::duration)
                .setParameterExceptionHandler((e, rejected) -> failed(2, e.getMessage() + " (see --help)"))
                .setExecutionExceptionHandler((e, command, parsed) -> failed(1, explain(e))).execute(args);
        return status == 0 && System.out.checkError() ? failed(1, "standard output: cannot be written to") : status;
    }

    private int failed(int status, String problem) {
        System.err.println("fan-out-sender: " + problem);
        return status;
    }

    private String explain(Exception e) {
        boolean named = e instanceof FileSystemException || e instanceof FileNotFoundException;
        return named ? e.getMessage() : socket + ": " + e.getMessage();
    }

    private void check(boolean valid, String problem) {
        if (!valid) {
            throw new CommandLine.ParameterException(spec.commandLine(), problem);
        }
    }

    private static Integer count(String text) {
        require(text.matches("\\d{1,9}"), "'" + text + "' is not a number such as 0 or 50");
        return Integer.valueOf(text);
    }

    private static Long size(String text) {
        require(text.matches("\\d{1,9}[kmgKMG]?"), "'" + text + "' is not a size such as 4096, 20k, 1m or 5g");
        int unit = Math.max(0, " kmg".indexOf(Character.toLowerCase(text.charAt(text.length() - 1))));
        return Long.parseLong(unit == 0 ? text : text.substring(0, text.length() - 1)) << 10 * unit;
    }

    private static Duration duration(String text) {
        require(text.matches("\\d{1,8}(\\.\\d{1,9})?(ms|s|m)"), "'" + text + "' is not a duration such as 100ms or 2m");
        double unit = text.endsWith("ms") ? 1e6 : text.endsWith("s") ? 1e9 : 60e9;
        return Duration.ofNanos(Math.round(Double.parseDouble(text.replaceAll("[ms]", "")) * unit));
    }

    private static void require(boolean valid, String problem) {
        if (!valid) {
            throw new CommandLine.TypeConversionException(problem);
        }
    }
}
