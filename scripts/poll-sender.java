///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Send over a unix-domain socket, waiting in poll while the kernel has no room
//JAVA 17+
//DEPS info.picocli:picocli:4.7.7
//DEPS com.kohlschutter.junixsocket:junixsocket-core:2.11.1@pom
//DEPS com.kohlschutter.junixsocket:junixsocket-common com.kohlschutter.junixsocket:junixsocket-native-common
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmn4m

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Sends over a unix-domain stream socket without blocking in write and without spinning: it waits in poll(2) until the
 * kernel reports room. Linux does so only when three quarters of the send buffer are free, so the writes are few and
 * large, and in between the thread sleeps or does other work; but not while it waits for {@code --input}.
 * Usage: {@code jbang poll-sender.java}, beside slow-receiver.java or anything else that listens on a stream socket.
 */
@CommandLine.Command(name = "poll-sender", version = "poll-sender 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "Sends over a unix-domain socket, waiting in poll for room.")
class PollSender implements Callable<Integer> {
    /** Hands out the buffer to send from, refilled when it is empty, with nothing remaining at the end. */
    interface Source { ByteBuffer next() throws IOException; }

    /** Tells {@code wrote} what each write placed (0: refused); {@code otherWork} returns the ms until it is due. */
    static void send(SocketChannel channel, Source data, IntConsumer wrote, LongSupplier otherWork) throws IOException {
        channel.configureBlocking(false);
        try (Selector selector = channel.provider().openSelector()) {
            channel.register(selector, SelectionKey.OP_WRITE);
            long lastTry = System.nanoTime();
            for (ByteBuffer buffer = data.next(); buffer.hasRemaining(); buffer = data.next()) {
                long untilTry = 30_000 - (System.nanoTime() - lastTry) / 1_000_000; // shut down, a full queue is silent
                long wait = Math.min(otherWork.getAsLong(), untilTry);
                int reported = 0;
                try {
                    reported = wait > 0 ? selector.select(wait) : selector.selectNow(); // select(0) waits for ever
                } catch (SocketException e) { } // a signal interrupted junixsocket's poll: wait again
                selector.selectedKeys().clear(); // select counts only what is not in there yet
                if (reported > 0 || untilTry <= 0) { // whatever the key says: the write tells an error from room
                    wrote.accept(channel.write(buffer));
                    lastTry = System.nanoTime();
                }
            }
        }
    }

    @Option(names = "--timeout", paramLabel = "DURATION", description = "Longest single wait (default: 3s).")
    Duration timeout = Duration.ofSeconds(3);
    @Option(names = "--give-up", paramLabel = "DURATION", description = "Exit 3 when stuck so long.") Duration giveUp;
    private long since, seen = -1;

    public static void main(String... args) {
        PollSender sender = new PollSender();
        System.exit(sender.run(new CommandLine(sender).registerConverter(Duration.class, t -> duration(t)), args));
    }

    @Override
    public Integer call() throws IOException {
        try (FileChannel file = open(); SocketChannel channel = connect()) {
            send(channel, source(file), this::wrote, () -> Math.min(timeout.toMillis(), untilGivingUp()));
            return 0;
        }
    }

    private long untilGivingUp() {
        since = seen == accepted ? since : System.nanoTime(); // bytes are at hand: a wait for the input does not count
        seen = accepted;
        long left = giveUp == null ? Long.MAX_VALUE : giveUp.toMillis() - (System.nanoTime() - since) / 1_000_000;
        if (left <= 0)
            throw new CancellationException("gave up, nothing could be written for " + giveUp.toMillis() / 1e3 + " s");
        return left;
    }

    private static Duration duration(String text) {
        if (!text.matches("(?=.*[1-9])(\\d{1,8}m|\\d{1,8}(\\.\\d{1,3})?m?s)"))
            throw new CommandLine.TypeConversionException("'" + text + "' is not a duration such as 100ms, 1.5s or 2m");
        return Duration.parse("PT" + text.replace("ms", "s")).dividedBy(text.endsWith("ms") ? 1000 : 1);
    }

    /** Connects while blocking: a non-blocking connect to a full backlog is refused, and poll never reports it. */
    private SocketChannel connect() throws IOException {
        String tmp = System.getProperty("org.newsclub.net.unix.library.tmpdir", System.getProperty("java.io.tmpdir"));
        if (!Path.of(tmp).toFile().canWrite())
            throw new IOException(tmp + ": not writable; name a place with -Dorg.newsclub.net.unix.library.tmpdir=DIR");
        SocketChannel channel = AFUNIXSocketChannel.open();
        if (sndbuf != null) channel.setOption(StandardSocketOptions.SO_SNDBUF, (int) Math.min(sndbuf, 1 << 30));
        channel.connect(AFUNIXSocketAddress.of(socket));
        return channel;
    }

    // --- the same in every sender: begin
    @Option(names = {"-s", "--socket"}, paramLabel = "PATH", description = "Receiver's (default: ${DEFAULT-VALUE}).")
    Path socket = Path.of("slow_receiver.sock");
    @Option(names = {"-n", "--size"}, paramLabel = "SIZE", description = "Zeros to send (default: 1m).") Long size;
    @Option(names = {"-i", "--input"}, paramLabel = "FILE", description = "Send FILE instead, or - for standard input.")
    Path input;
    @Option(names = "--chunk", paramLabel = "SIZE", description = "Buffer, and most bytes for one write (default: 1m).")
    Long chunk = 1L << 20;
    @Option(names = "--sndbuf", paramLabel = "SIZE", description = "SO_SNDBUF (default: the system's).") Long sndbuf;
    private volatile long accepted;

    private static long size(String text) {
        if (!text.matches("(?=.*[1-9])(\\d{1,12}|\\d{1,9}[kmg])"))
            throw new CommandLine.TypeConversionException("'" + text + "' is not a size such as 4096, 20k, 1m or 5g");
        return Long.parseLong(text.replaceAll("\\D", "")) << 10 * ("kmg".indexOf(text.charAt(text.length() - 1)) + 1);
    }

    private FileChannel open() throws IOException {
        String file = input == null ? "/dev/zero" : input.toString();
        if (size != null && input != null) throw new CommandLine.TypeConversionException("--size excludes --input");
        if (file.isEmpty()) throw new CommandLine.TypeConversionException("--input must name a file");
        if (socket.toString().isEmpty() || socket.toString().getBytes().length > 107)
            throw new CommandLine.TypeConversionException("--socket must have 1 to 107 bytes: " + socket);
        return (file.equals("-") ? new FileInputStream(FileDescriptor.in) : new FileInputStream(file)).getChannel();
    }

    /** Reads into one direct buffer, again and again: a heap buffer would be copied whole on every try to write. */
    private Source source(FileChannel file) {
        long total = input != null ? Long.MAX_VALUE : size != null ? size : 1 << 20;
        ByteBuffer buffer = ByteBuffer.allocateDirect((int) Math.min(Math.min(chunk, total), 1 << 30)).limit(0);
        return () -> {
            if (!buffer.hasRemaining()) {
                file.read(buffer.clear().limit((int) Math.min(buffer.capacity(), total - accepted)));
                buffer.flip();
            }
            return buffer;
        };
    }

    private void wrote(int bytes) {
        accepted += bytes;
        if (bytes > 0) System.out.println("wrote " + bytes + " bytes");
    }

    private int run(CommandLine command, String... args) {
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> System.exit(failed(command, e))); // no memory
        int code = command.setExpandAtFiles(false).registerConverter(Long.class, text -> size(text))
                .setParameterExceptionHandler((e, rejected) -> failed(command, e))
                .setExecutionExceptionHandler((e, same, parsed) -> failed(command, e)).execute(args);
        return code == 0 && System.out.checkError() ? failed(command, new IOException("stdout: not writable")) : code;
    }

    private int failed(CommandLine command, Throwable e) {
        boolean usage = e instanceof CommandLine.PicocliException;
        boolean gone = e.getMessage() == null || e.getMessage().startsWith("Connection reset"); // null: EPIPE
        String what = gone ? "the receiver closed the connection" : e.getMessage();
        String where = gone || e instanceof SocketException || e instanceof CancellationException ? socket + ": " : "";
        String rest = usage ? " (see --help)" : "; " + accepted + " bytes had been accepted";
        System.err.println(command.getCommandName() + ": " + where + what + rest);
        return usage ? 2 : e instanceof CancellationException ? 3 : 1;
    }
    // --- the same in every sender: end
}
