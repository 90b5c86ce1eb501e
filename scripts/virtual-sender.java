///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Send over a unix-domain socket, blocking a virtual thread while the kernel has no room
//JAVA 21+
//DEPS info.picocli:picocli:4.7.7
//RUNTIME_OPTIONS -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmn4m

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Sends over a unix-domain stream socket in a virtual thread that blocks in write: while the kernel has no room it is
 * parked, and its carrier runs other virtual threads. The loop is blocking-sender's, the writes are poll-sender's.
 * Usage: {@code jbang virtual-sender.java}, beside slow-receiver.java. Limits: it takes JDK 21 and the JDK's channel
 * (junixsocket's parks no virtual thread); that a reader shut down a full queue, only {@code --give-up} notices.
 */
@CommandLine.Command(name = "virtual-sender", version = "virtual-sender 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "Sends over a unix-domain socket, blocking a virtual thread.")
class VirtualSender implements Callable<Integer> {
    /** Hands out the buffer to send from, refilled when it is empty, with nothing remaining at the end. */
    interface Source { ByteBuffer next() throws IOException; }

    /** The strategy: blocking-sender's, word for word; it is the thread that makes the difference. */
    static void send(SocketChannel channel, Source data, IntConsumer wrote) throws IOException {
        channel.configureBlocking(true);
        for (ByteBuffer buffer = data.next(); buffer.hasRemaining(); buffer = data.next()) {
            wrote.accept(channel.write(buffer)); // short as a rule: what there is room for, after a wait for some
        }
    }

    @Option(names = "--give-up", paramLabel = "DURATION", description = "Exit 3 when stuck so long.")
    Duration giveUp = Duration.ofMillis(Long.MAX_VALUE);
    private volatile long since; // when the write in progress began; 0: none

    public static void main(String... args) {
        VirtualSender sender = new VirtualSender();
        System.exit(sender.run(new CommandLine(sender).registerConverter(Duration.class, t -> duration(t)), args));
    }

    @Override
    public Integer call() throws Exception {
        try (FileChannel file = open(); SocketChannel channel = connect()) {
            Source source = source(file);
            Source timed = () -> {
                since = 0;
                ByteBuffer buffer = source.next(); // may wait for the input: that does not count
                since = System.nanoTime();
                return buffer;
            };
            FutureTask<Integer> sending = new FutureTask<>(() -> {
                send(channel, timed, this::wrote);
                return 0;
            });
            Thread.startVirtualThread(sending);
            return await(sending);
        } // closes the channel: that ends a write that has been given up
    }

    private int await(FutureTask<Integer> sending) throws Exception {
        for (long left = giveUp.toMillis(); left > 0;) {
            try {
                return sending.get(left, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                long began = since;
                left = giveUp.toMillis() - (began == 0 ? 0 : (System.nanoTime() - began) / 1_000_000);
            } catch (ExecutionException e) {
                boolean gone = "Broken pipe".equals(e.getCause().getMessage());
                throw gone ? new ClosedChannelException() : (Exception) e.getCause();
            }
        }
        throw new CancellationException("gave up, nothing could be written for " + giveUp.toMillis() / 1e3 + " s");
    }

    private static Duration duration(String text) {
        if (!text.matches("(?=.*[1-9])(\\d{1,8}m|\\d{1,8}(\\.\\d{1,3})?m?s)"))
            throw new CommandLine.TypeConversionException("'" + text + "' is not a duration such as 100ms, 1.5s or 2m");
        return Duration.parse("PT" + text.replace("ms", "s")).dividedBy(text.endsWith("ms") ? 1000 : 1);
    }

    private SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        if (sndbuf != null) channel.setOption(StandardSocketOptions.SO_SNDBUF, (int) Math.min(sndbuf, 1 << 30));
        Path cwd = Path.of(Files.exists(Path.of(".")) ? "" : "/proc/self/cwd"); // for names that the locale lacks
        channel.connect(UnixDomainSocketAddress.of(cwd.resolve(socket)));
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
