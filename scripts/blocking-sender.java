///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Send over a unix-domain socket, blocking while the kernel has no room
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
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.function.IntConsumer;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Sends over a unix-domain stream socket in blocking mode: while the kernel has no room, the thread sleeps in write.
 * That costs no CPU and is the shortest loop of all, but until the write returns the thread does nothing else, nor does
 * it give up: one write of 1 MiB lasts as long as the reader takes for most of it.
 *
 * <p>Protocol: connect, send every byte, close. Partner: slow-receiver.java, or anything that listens.
 * Usage: {@code jbang blocking-sender.java --size 1m}, after {@code jbang slow-receiver.java} in another terminal.
 * See also: virtual-sender.java, which blocks as well, but only a virtual thread.
 */
@CommandLine.Command(name = "blocking-sender", version = "blocking-sender 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "Sends over a unix-domain socket, blocking while the kernel has no room.")
class BlockingSender implements Callable<Integer> {
    /** Hands out the buffer to send from, refilled when it is empty, with nothing remaining at the end. */
    interface Source { ByteBuffer next() throws IOException; }

    /**
     * The strategy: write, until nothing remains. {@code wrote} is told what each write placed. There is no place here
     * for other work, and the signature says so.
     */
    static void send(SocketChannel channel, Source data, IntConsumer wrote) throws IOException {
        channel.configureBlocking(true);
        for (ByteBuffer buffer = data.next(); buffer.hasRemaining(); buffer = data.next()) {
            wrote.accept(channel.write(buffer)); // returns when all is accepted, as a rule: it may still be short
        }
    }

    public static void main(String... args) {
        BlockingSender sender = new BlockingSender();
        System.exit(sender.run(new CommandLine(sender), args));
    }

    @Override
    public Integer call() throws IOException {
        try (FileChannel file = open(); SocketChannel channel = connect()) {
            send(channel, source(file), this::wrote);
            return 0;
        }
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
