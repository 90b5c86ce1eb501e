///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Listen on a unix-domain socket and read slowly
//JAVA 17+
//DEPS info.picocli:picocli:4.7.7
//DEPS com.kohlschutter.junixsocket:junixsocket-core:2.11.1@pom
//DEPS com.kohlschutter.junixsocket:junixsocket-common
//DEPS com.kohlschutter.junixsocket:junixsocket-native-common
//COMPILE_OPTIONS -XDstringConcat=inline
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmn4m

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.newsclub.net.unix.AFUNIXDatagramChannel;
import org.newsclub.net.unix.AFUNIXServerSocketChannel;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;
import org.newsclub.net.unix.AFUNIXSocketCredentials;
import org.newsclub.net.unix.ConnectionRefusedSocketException;
import org.newsclub.net.unix.ConnectionResetSocketException;
import org.newsclub.net.unix.OperationNotSupportedSocketException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * Listens on a unix-domain stream socket and reads slowly: at most {@code --read-size} bytes, then a pause of
 * {@code --interval}, as a consumer that works on what it got. Serves one connection at a time; the others wait in the
 * backlog.
 *
 * <p>Protocol: accept, read until the end of the stream, close. Partners: the senders, or anything that connects.
 * Usage: {@code jbang slow-receiver.java --interval 100ms}, then a sender in another terminal.
 *
 * <p>Limits: the library creates the socket file with mode 666 and {@code --mode} is set right after; where that moment
 * matters, put the socket into a directory of mode 700.
 */
@Command(name = "slow-receiver", version = "slow-receiver 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Listens on a unix-domain socket and reads slowly.")
class SlowReceiver implements Callable<Integer>, IParameterExceptionHandler {
    // --- the same in every receiver: begin
    @Option(names = {"-s", "--socket"}, paramLabel = "PATH", defaultValue = "slow_receiver.sock",
            description = "Socket to listen on (default: ${DEFAULT-VALUE}).")
    Path socket;
    @Option(names = {"-r", "--read-size"}, paramLabel = "SIZE", defaultValue = "20k",
            converter = BufferSizeConverter.class,
            description = "Most bytes taken by one read (default: ${DEFAULT-VALUE}).")
    long readSize;
    @Option(names = {"-t", "--interval"}, paramLabel = "DURATION", defaultValue = "1s",
            converter = DurationConverter.class,
            description = "Pause after each read; 0s: none (default: ${DEFAULT-VALUE}).")
    long interval;
    @Option(names = "--connections", paramLabel = "N", defaultValue = "0",
            description = "Exit after so many connections; 0: run until stopped (default: ${DEFAULT-VALUE}).")
    long connections;
    @Option(names = "--output", paramLabel = "FILE",
            description = "Write what is received to FILE, which is replaced when the first connection comes;"
                    + " -: to standard output, and the text to standard error.")
    String output;
    @Option(names = "--mode", paramLabel = "OCTAL", defaultValue = "600", converter = ModeConverter.class,
            description = "Permissions of the socket file (default: ${DEFAULT-VALUE}).")
    int mode;
    @Option(names = "--json", description = "Print events as JSON Lines instead of text.")
    boolean json;
    @Spec
    CommandSpec spec;
    // --- the same in every receiver: end

    private PrintStream text;
    private JsonLines events;
    private FileChannel file;

    /** The slow consumer: read what is there, up to the size of the buffer; then work on it for a while. */
    void receive(AFUNIXSocketChannel channel, ByteBuffer buffer, Connection connection) throws IOException {
        while (channel.read(buffer.clear()) >= 0) {
            connection.received(buffer.flip());
            pause(interval);
        }
    }

    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    public static void main(String... args) {
        SlowReceiver receiver = new SlowReceiver();
        System.exit(new CommandLine(receiver).setParameterExceptionHandler(receiver).execute(args));
    }

    @Override
    public Integer call() {
        check(connections >= 0, "--connections must not be negative");
        text = "-".equals(output) ? System.err : System.out;
        events = new JsonLines(json ? text : null);
        try {
            checkSocketPath();
            checkOutput();
            ByteBuffer buffer = ByteBuffer.allocateDirect((int) readSize);
            try (AFUNIXServerSocketChannel server = listen(50)) {
                for (long number = 1; number <= connections || connections == 0; number++) {
                    try (AFUNIXSocketChannel channel = server.accept()) {
                        serve(channel, buffer, new Connection(number));
                    }
                }
            }
            return CommandLine.ExitCode.OK;
        } catch (OutOfMemoryError e) {
            return failed("--read-size: not enough memory for a buffer of " + readSize + " bytes");
        } catch (FileSystemException e) {
            return failed(e.getMessage());
        } catch (IOException e) {
            return failed(socket + ": " + e.getMessage());
        }
    }

    // --- the same in every receiver: begin
    private void check(boolean valid, String problem) {
        if (!valid) {
            throw new ParameterException(spec.commandLine(), problem);
        }
    }

    private void checkSocketPath() throws FileSystemException {
        String tmp = System.getProperty("org.newsclub.net.unix.library.tmpdir", System.getProperty("java.io.tmpdir"));
        if (!Files.isWritable(Path.of(tmp))) {
            throw new FileSystemException(tmp, null, "cannot unpack junixsocket's native library here;"
                    + " name a writable directory with -Dorg.newsclub.net.unix.library.tmpdir=DIR");
        }
        check(socket.toString().getBytes(AFUNIXSocketAddress.addressCharset()).length <= 107,
                "--socket must not be longer than 107 bytes: " + socket);
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        System.err.println(spec.name() + ": " + e.getMessage() + " (see --help)");
        return CommandLine.ExitCode.USAGE;
    }

    private int failed(String message) {
        System.err.println(spec.name() + ": " + message);
        return CommandLine.ExitCode.SOFTWARE;
    }

    private void checkOutput() throws FileSystemException {
        if (output == null || output.equals("-")) {
            return;
        }
        Path path = Path.of(output).toAbsolutePath();
        if (Files.isDirectory(path)) {
            throw new FileSystemException(output, null, "is a directory");
        }
        if (Files.exists(path) ? !Files.isWritable(path) : !Files.isDirectory(path.getParent())) {
            throw new FileSystemException(output, null, "cannot be written to");
        }
    }

    /** Listens on the socket, after looking at what is there: only a socket that nobody holds any more is replaced. */
    private AFUNIXServerSocketChannel listen(int backlog) throws IOException {
        if (!Files.isDirectory(socket.toAbsolutePath().getParent())) {
            throw new FileSystemException(socket.toString(), null, "its directory does not exist");
        }
        if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            int type = (int) Files.getAttribute(socket, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 0170000;
            if (type != 0140000) {
                throw new FileSystemException(socket.toString(), null,
                        "exists and is not a socket; take another path");
            }
            if (isInUse()) {
                throw new FileSystemException(socket.toString(), null, "another receiver is listening");
            }
            Files.delete(socket);
        }
        AFUNIXServerSocketChannel server = AFUNIXServerSocketChannel.open();
        server.socket().setReuseAddress(false);
        server.setDeleteOnClose(false); // would delete by path, whosoever file is there by then
        server.bind(AFUNIXSocketAddress.of(socket), backlog);
        Object fileKey = fileKey();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> removeSocket(fileKey)));
        Files.setAttribute(socket, "unix:mode", mode);
        events.print("listening", "socket", socket.toString(), "pid", ProcessHandle.current().pid());
        if (!json) {
            System.err.println(spec.name() + ": listening on " + socket);
        }
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

    private Object fileKey() throws IOException {
        return Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    }

    private void removeSocket(Object ownFileKey) {
        try {
            if (fileKey().equals(ownFileKey)) {
                Files.delete(socket);
            }
        } catch (IOException e) {
            return; // somebody removed it already
        }
    }
    // --- the same in every receiver: end

    private void serve(AFUNIXSocketChannel channel, ByteBuffer buffer, Connection connection) throws IOException {
        connection.connected(channel);
        try {
            receive(channel, buffer, connection);
            connection.closed("eof");
        } catch (ConnectionResetSocketException e) {
            connection.closed("reset");
        }
    }

    // --- the same in every receiver: begin
    /** What has happened in one connection: counts it, prints it, and writes the bytes to the output. */
    class Connection {
        final long number;
        long bytes;
        private final CRC32C crc32c = new CRC32C();
        private long began, reads;

        Connection(long number) {
            this.number = number;
        }

        void connected(AFUNIXSocketChannel channel) throws IOException {
            began = System.nanoTime();
            if (json) {
                AFUNIXSocketCredentials peer = channel.getPeerCredentials();
                events.print("connected", "connection", number, "peer_pid", peer.getPid(), "peer_uid", peer.getUid());
            } else {
                text.println("connected");
            }
            if (output != null && file == null) {
                file = openOutput();
            }
        }

        private FileChannel openOutput() throws IOException {
            try {
                return output.equals("-") ? new FileOutputStream(FileDescriptor.out).getChannel()
                        : FileChannel.open(Path.of(output), StandardOpenOption.WRITE, StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING);
            } catch (FileSystemException e) {
                throw new FileSystemException(output, null, "cannot be written to");
            }
        }

        void received(ByteBuffer buffer) throws IOException {
            int n = buffer.remaining();
            reads++;
            bytes += n;
            events.print("received", "connection", number, "bytes", n, "total", bytes);
            if (!json) {
                text.println("received " + n + " bytes...");
            }
            crc32c.update(buffer.duplicate());
            try {
                while (file != null && buffer.hasRemaining()) {
                    file.write(buffer);
                }
            } catch (IOException e) {
                throw new FileSystemException(output, null, e.getMessage());
            }
        }

        void closed(String end) {
            events.print("closed", "connection", number, "bytes", bytes, "reads", reads,
                    "seconds", seconds(System.nanoTime() - began), "crc32c", crc32c(), "end", end);
            if (!json) {
                text.println("connection closed");
            }
        }

        String crc32c() {
            return Long.toHexString(1L << 32 | crc32c.getValue()).substring(1);
        }
    }

    /** Permissions in octal, as for chmod. */
    static class ModeConverter implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (text.matches("0?[0-7]{3}")) {
                return Integer.parseInt(text, 8);
            }
            throw new TypeConversionException("'" + text + "' is not a mode such as 600 or 660");
        }
    }
    // --- the same in every receiver: end
    // --- the same in every script: begin
    /** Bytes, from a whole number, also with the unit k, m or g (1024-based). */
    static class SizeConverter implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            if (text.matches("\\d{1,18}[kmgKMG]?")) {
                int unit = Math.max(0, " kmg".indexOf(Character.toLowerCase(text.charAt(text.length() - 1))));
                long number = Long.parseLong(unit == 0 ? text : text.substring(0, text.length() - 1));
                if (number <= Long.MAX_VALUE >> 10 * unit) {
                    return number << 10 * unit;
                }
            }
            throw new TypeConversionException("'" + text + "' is not a size such as 4096, 20k, 1m or 5g");
        }
    }

    /** Like a size, but one that a buffer can have. */
    static class BufferSizeConverter extends SizeConverter {
        @Override
        public Long convert(String text) {
            long bytes = super.convert(text);
            if (bytes < 1 || bytes > 2047 << 20) {
                throw new TypeConversionException("'" + text + "' is not between 1 and 2047m");
            }
            return bytes;
        }
    }

    /** Nanoseconds, from a number with the unit ms, s or m. */
    static class DurationConverter implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            if (text.matches("\\d{1,8}(\\.\\d{1,9})?(ms|s|m)")) {
                double unit = text.endsWith("ms") ? 1e6 : text.endsWith("s") ? 1e9 : 60e9;
                return Math.round(Double.parseDouble(text.replaceAll("[ms]", "")) * unit);
            }
            throw new TypeConversionException("'" + text + "' is not a duration such as 100ms, 1s, 1.5s or 2m");
        }
    }

    /** Nanoseconds as seconds, to the microsecond. */
    static BigDecimal seconds(long nanos) {
        return BigDecimal.valueOf(nanos / 1_000, 6);
    }
    // --- the same in every script: end

    // --- the same in every sender and receiver: begin
    /** Prints events, one JSON object a line, or nothing where there is no stream to print to. */
    static class JsonLines {
        private final PrintStream out;

        JsonLines(PrintStream out) {
            this.out = out;
        }

        /** Prints an event with its fields (name, value, name, value ...) and the seconds since the Unix epoch. */
        void print(String event, Object... fields) {
            if (out == null) {
                return;
            }
            Instant now = Instant.now();
            BigDecimal time = BigDecimal.valueOf(now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000, 6);
            StringBuilder line = new StringBuilder("{\"time\":" + time + ",\"event\":\"" + event + '"');
            for (int i = 0; i < fields.length; i += 2) {
                line.append(",\"").append(fields[i]).append("\":");
                line.append(fields[i + 1] instanceof String text ? quote(text) : fields[i + 1]);
            }
            out.println(line.append('}'));
        }

        private static String quote(String text) {
            StringBuilder quoted = new StringBuilder("\"");
            for (char c : text.toCharArray()) {
                boolean plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
                quoted.append(plain ? c : "\\u" + Integer.toHexString(1 << 16 | c).substring(1));
            }
            return quoted.append('"').toString();
        }
    }
    // --- the same in every sender and receiver: end
}
