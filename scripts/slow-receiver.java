///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Listen on a unix-domain socket and read slowly
//JAVA 17+
//DEPS info.picocli:picocli:4.7.7
//DEPS com.kohlschutter.junixsocket:junixsocket-core:2.11.1@pom
//DEPS com.kohlschutter.junixsocket:junixsocket-common com.kohlschutter.junixsocket:junixsocket-native-common
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmn4m

import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.newsclub.net.unix.AFUNIXDatagramChannel;
import org.newsclub.net.unix.AFUNIXServerSocketChannel;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.ConnectionRefusedSocketException;
import org.newsclub.net.unix.ConnectionResetSocketException;
import org.newsclub.net.unix.OperationNotSupportedSocketException;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Listens on a unix-domain stream socket and reads slowly: at most {@code --read-size} bytes, then a pause of
 * {@code --interval}, as a consumer that works on what it got. One connection at a time; others wait in the backlog.
 *
 * <p>Protocol: accept, read until the end of the stream, close. Partners: the senders, or anything that connects.
 * Usage: {@code jbang slow-receiver.java --interval 100ms}, then a sender in another terminal.
 *
 * <p>Limits: the library creates the socket file with mode 666, and it is set to 600 right after; where that moment
 * matters, put the socket into a directory of mode 700.
 */
@CommandLine.Command(name = "slow-receiver", version = "slow-receiver 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "Listens on a unix-domain socket and reads slowly.")
class SlowReceiver implements Callable<Integer> {
    private static final int S_IFMT = 0170000;
    private static final int S_IFSOCK = 0140000;

    @Option(names = {"-s", "--socket"}, paramLabel = "PATH",
            description = "Socket to listen on (default: ${DEFAULT-VALUE}).")
    Path socket = Path.of("slow_receiver.sock");
    @Option(names = {"-r", "--read-size"}, paramLabel = "SIZE", description = "Most bytes for one read (default: 20k).")
    Long readSize = 20L << 10;
    @Option(names = {"-t", "--interval"}, paramLabel = "DURATION",
            description = "Pause after each read; 0s: none (default: 1s).")
    Duration interval = Duration.ofSeconds(1);
    @Option(names = "--connections", paramLabel = "N",
            description = "Exit after so many connections; 0: run until stopped (default: ${DEFAULT-VALUE}).")
    int connections = 0;

    /** The slow consumer: take what is there, at most a buffer of it, and work on it before taking more. */
    private void receive(SocketChannel channel, ByteBuffer buffer) throws IOException {
        say("connected");
        try {
            for (int n = channel.read(buffer.clear()); n >= 0; n = channel.read(buffer.clear())) {
                say("received " + n + " bytes...");
                LockSupport.parkNanos(interval.toNanos()); // Thread.sleep would round up to a millisecond before JDK 21
            }
        } catch (ConnectionResetSocketException e) {
            // The sender went without having read what it was sent; what it sent is all here.
        }
        say("connection closed");
    }

    /** Prints at once; a print stream keeps its errors to itself until asked. */
    private static void say(String line) throws IOException {
        System.out.println(line);
        if (System.out.checkError()) {
            throw new FileSystemException("standard output", null, "cannot be written to");
        }
    }

    @Override
    public Integer call() throws IOException {
        if (socket.toString().isEmpty() || socket.toString().getBytes().length > 107)
            throw new CommandLine.TypeConversionException("--socket must have 1 to 107 bytes: " + socket);
        String tmp = System.getProperty("org.newsclub.net.unix.library.tmpdir", System.getProperty("java.io.tmpdir"));
        if (!Path.of(tmp).toFile().canWrite())
            throw new IOException(tmp + ": not writable; name a place with -Dorg.newsclub.net.unix.library.tmpdir=DIR");
        try (AFUNIXServerSocketChannel server = listen(50)) {
            ByteBuffer buffer = ByteBuffer.allocateDirect((int) Math.min(readSize, 1 << 30));
            System.err.println("slow-receiver: listening on " + socket);
            for (long served = 0; served < connections || connections == 0; served++) {
                try (SocketChannel channel = server.accept()) {
                    receive(channel, buffer);
                }
            }
            return 0;
        }
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
        System.exit(new SlowReceiver().run(args));
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
