///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Send over a unix-domain socket, waiting in poll while the kernel has no room
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
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigDecimal;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;
import org.newsclub.net.unix.ConnectionRefusedSocketException;
import org.newsclub.net.unix.ConnectionResetSocketException;
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
 * Sends over a unix-domain stream socket without blocking in write and without spinning: it waits in poll(2) until the
 * kernel reports room. Linux does so only when three quarters of the send buffer are free, so the writes are few and
 * large, and in between the thread sleeps or does other work ({@code --heartbeat}).
 *
 * <p>Protocol: connect, send every byte, close. Partner: slow-receiver.java, or anything that listens.
 * Usage: {@code jbang poll-sender.java --size 1m}, after {@code jbang slow-receiver.java} in another terminal.
 *
 * <p>Limits: one connection; while it waits for {@code --input} it neither beats nor sees the receiver go.
 */
@Command(name = "poll-sender", version = "poll-sender 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Sends over a unix-domain socket, waiting in poll while the kernel has no room.")
class PollSender implements Callable<Integer>, IParameterExceptionHandler {
    // --- the same in every sender: begin
    @Option(names = {"-s", "--socket"}, paramLabel = "PATH", defaultValue = "slow_receiver.sock",
            description = "Socket of the receiver (default: ${DEFAULT-VALUE}).")
    Path socket;
    @Option(names = {"-n", "--size"}, paramLabel = "SIZE", converter = SizeConverter.class,
            description = "Bytes to generate and send; byte p is p modulo 251 (default: 1m).")
    Long size;
    @Option(names = {"-i", "--input"}, paramLabel = "FILE", description = "Send FILE, or - for standard input, instead.")
    String input;
    @Option(names = "--chunk", paramLabel = "SIZE", defaultValue = "1m", converter = SizeConverter.class,
            description = "The buffer, and the most bytes offered to one write (default: ${DEFAULT-VALUE}).")
    long chunk;
    @Option(names = "--sndbuf", paramLabel = "SIZE", converter = SizeConverter.class,
            description = "SO_SNDBUF to request; Linux doubles it (default: the system's).")
    Long sndbuf;
    @Option(names = "--connect-timeout", paramLabel = "DURATION", defaultValue = "0s", converter = DurationConverter.class,
            description = "How long to keep trying while no receiver listens (default: ${DEFAULT-VALUE}).")
    long connectTimeout;
    @Option(names = "--heartbeat", paramLabel = "DURATION", converter = DurationConverter.class,
            description = "Period of the heartbeat, other work of the sending thread (default: off).")
    Long heartbeat;
    @Option(names = "--give-up", paramLabel = "DURATION", converter = DurationConverter.class,
            description = "Exit with status 3 when nothing could be written for so long (default: never).")
    Long giveUp;
    @Option(names = "--json", description = "Print events as JSON Lines instead of text.")
    boolean json;
    @Spec
    CommandSpec spec;
    // --- the same in every sender: end

    @Option(names = "--timeout", paramLabel = "DURATION", defaultValue = "3s", converter = DurationConverter.class,
            description = "Longest single wait (default: ${DEFAULT-VALUE}).")
    long timeout;

    /** After so many nanoseconds without a write, one is tried: poll never reports a queue that the reader shut full. */
    private static final long STALL = TimeUnit.SECONDS.toNanos(30);

    /** The strategy: wait until poll reports anything, then write once; an error shows up in the write. */
    void send(AFUNIXSocketChannel channel, Transfer transfer) throws IOException {
        channel.configureBlocking(false);
        try (Selector selector = channel.provider().openSelector()) {
            channel.register(selector, SelectionKey.OP_WRITE);
            long lastTry = System.nanoTime();
            while (transfer.fill()) {
                long untilTry = lastTry + STALL - System.nanoTime();
                boolean ready = poll(selector, transfer.untilNextDuty(Math.min(timeout, untilTry)));
                transfer.polled(ready);
                if (ready || untilTry <= 0) {
                    int written = channel.write(transfer.buffer);
                    transfer.wrote(written);
                    lastTry = System.nanoTime();
                }
            }
        }
    }

    private static boolean poll(Selector selector, long nanos) throws IOException {
        try {
            int ready = selector.select(millis(nanos));
            selector.selectedKeys().clear();
            return ready > 0;
        } catch (SocketException e) {
            return true; // an interrupted poll is a plain SocketException: the write tells it from an error
        }
    }

    public static void main(String... args) {
        PollSender sender = new PollSender();
        System.exit(new CommandLine(sender).setParameterExceptionHandler(sender).execute(args));
    }

    // --- the same in every sender: begin
    @Override
    public Integer call() throws InterruptedException {
        check(chunk >= 1 && chunk <= Integer.MAX_VALUE - 512, "--chunk must be 1 byte to 2047m");
        check(sndbuf == null || sndbuf >= 1 && sndbuf <= Integer.MAX_VALUE, "--sndbuf must be 1 byte to 2047m");
        check(heartbeat == null || heartbeat > 0, "--heartbeat must be longer than 0s");
        check(giveUp == null || giveUp > 0, "--give-up must be longer than 0s");
        check(size == null || input == null, "--size does not go with --input");
        check(socket.toString().getBytes(AFUNIXSocketAddress.addressCharset()).length <= 107,
                "--socket must not be longer than 107 bytes: " + socket);
        Transfer transfer = new Transfer();
        try {
            transfer.open();
            try (AFUNIXSocketChannel channel = connect()) {
                transfer.connected(channel);
                send(channel, transfer);
                transfer.done();
                return CommandLine.ExitCode.OK;
            }
        } catch (InterruptedIOException e) {
            return transfer.failed(3, socket + ": " + e.getMessage());
        } catch (ClosedChannelException | ConnectionResetSocketException e) {
            return transfer.failed(1, socket + ": the receiver closed the connection");
        } catch (FileSystemException e) {
            return transfer.failed(1, e.getMessage());
        } catch (IOException e) {
            return transfer.failed(1, socket + ": " + e.getMessage());
        } finally {
            transfer.ended.countDown();
        }
    }

    private void check(boolean valid, String problem) {
        if (!valid) {
            throw new ParameterException(spec.commandLine(), problem);
        }
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        System.err.println(spec.name() + ": " + e.getMessage() + " (see --help)");
        return CommandLine.ExitCode.USAGE;
    }

    /** Connects in blocking mode: a non-blocking connect to a full backlog is refused, and poll never reports it. */
    private AFUNIXSocketChannel connect() throws IOException, InterruptedException {
        String tmp = System.getProperty("org.newsclub.net.unix.library.tmpdir", System.getProperty("java.io.tmpdir"));
        if (!Files.isWritable(Path.of(tmp))) {
            throw new FileSystemException(tmp, null, "cannot unpack junixsocket's native library here;"
                    + " name a writable directory with -Dorg.newsclub.net.unix.library.tmpdir=DIR");
        }
        for (long deadline = System.nanoTime() + connectTimeout;; Thread.sleep(20)) {
            long left = deadline - System.nanoTime();
            AFUNIXSocketChannel channel = AFUNIXSocketChannel.open();
            try {
                if (sndbuf != null) {
                    channel.setOption(StandardSocketOptions.SO_SNDBUF, sndbuf.intValue());
                }
                channel.socket().setSoTimeout(connectTimeout == 0 ? 0 : Math.max(1, millis(left)));
                channel.connect(AFUNIXSocketAddress.of(socket));
                channel.socket().setSoTimeout(0);
                return channel;
            } catch (IOException e) {
                channel.close();
                boolean absent = Files.notExists(socket);
                boolean refused = e instanceof ConnectionRefusedSocketException;
                boolean stale = refused && ((int) Files.getAttribute(socket, "unix:mode") & 0170000) == 0140000;
                if (left <= 0 || !absent && !stale) {
                    throw new FileSystemException(socket.toString(), null,
                            absent ? "no such socket; start the receiver first"
                            : stale ? "no receiver is listening (stale socket file)"
                            : refused ? "not a socket"
                            : e instanceof SocketTimeoutException ? "the receiver's backlog is full" : e.getMessage());
                }
            }
        }
    }

    static int millis(long nanos) {
        return (int) Math.min(Integer.MAX_VALUE, (nanos + 999_999) / 1_000_000);
    }

    /** What is sent, and what has happened so far: counts and prints it, runs the heartbeat, gives up when asked to. */
    class Transfer {
        ByteBuffer buffer;
        final CountDownLatch ended = new CountDownLatch(1);
        private final JsonLines events = new JsonLines(json ? System.out : null);
        private final CRC32C crc32c = new CRC32C();
        private final long patience = giveUp == null ? Long.MAX_VALUE : giveUp;
        private final long total = size == null ? 1 << 20 : size;
        private FileChannel file;
        private long offered, bytes, writes, wouldBlocks, polls, pollTimeouts, beats, worstBeat;
        private long began, lastWrite, nextBeat = Long.MAX_VALUE;
        private long[] cpuBefore;
        private volatile boolean stopped;

        /** One direct buffer: a heap buffer would be copied on every try. */
        void open() throws IOException {
            try {
                if (input != null) {
                    file = (input.equals("-") ? new FileInputStream(FileDescriptor.in) : new FileInputStream(input)).getChannel();
                }
                buffer = ByteBuffer.allocateDirect((int) (file == null ? Math.min(chunk, total) + 251 : chunk));
            } catch (FileNotFoundException e) {
                throw new FileSystemException(e.getMessage());
            } catch (OutOfMemoryError e) {
                throw new FileSystemException("--chunk", null, "not enough memory for a buffer of " + chunk + " bytes");
            }
            for (int p = 0; file == null && p < buffer.capacity(); p++) {
                buffer.put(p, (byte) (p % 251));
            }
            buffer.limit(0);
        }

        /** Fills the buffer again once it is empty; false when there is nothing left to send. */
        boolean fill() throws IOException {
            if (buffer.hasRemaining()) {
                return true;
            }
            if (file == null) {
                int start = (int) (offered % 251);
                buffer.limit(start + (int) Math.min(chunk, total - offered)).position(start);
            } else {
                try {
                    file.read(buffer.clear());
                    buffer.flip();
                } catch (IOException e) {
                    throw new FileSystemException(input, null, e.getMessage());
                }
            }
            offered += buffer.remaining();
            int start = buffer.position();
            crc32c.update(buffer);
            buffer.position(start);
            lastWrite = System.nanoTime();
            return buffer.hasRemaining();
        }

        void connected(AFUNIXSocketChannel channel) throws IOException {
            events.print("connected", "socket", socket.toString(), "pid", ProcessHandle.current().pid(),
                    "sndbuf", channel.getOption(StandardSocketOptions.SO_SNDBUF), "chunk", chunk);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(channel)));
            cpuBefore = cpu();
            began = lastWrite = System.nanoTime();
            nextBeat = heartbeat == null ? Long.MAX_VALUE : began + heartbeat;
        }

        /** Stops on a signal: closing ends a write under way, which then tells how much of it was accepted. */
        private void stop(AFUNIXSocketChannel channel) {
            stopped = true;
            try {
                channel.close();
                if (file != null) {
                    file.close();
                }
                ended.await(1, TimeUnit.SECONDS);
            } catch (IOException | InterruptedException e) {
                return; // the process ends anyway
            }
        }

        void wrote(int n) throws InterruptedIOException {
            if (n == 0) {
                wouldBlocks++;
            } else {
                writes++;
                bytes += n;
                lastWrite = System.nanoTime();
                if (json) {
                    events.print("wrote", "bytes", n, "total", bytes);
                } else {
                    System.out.println("wrote " + n + " bytes");
                }
            }
            doDuties();
        }

        void polled(boolean ready) throws InterruptedIOException {
            polls++;
            pollTimeouts += ready ? 0 : 1;
            doDuties();
        }

        private void doDuties() throws InterruptedIOException {
            if (heartbeat == null && giveUp == null) {
                return;
            }
            long now = System.nanoTime();
            if (now >= nextBeat) {
                long late = now - nextBeat;
                beats++;
                worstBeat = Math.max(worstBeat, late);
                nextBeat += (late / heartbeat + 1) * heartbeat;
                events.print("beat", "late", seconds(late));
            }
            if (now - lastWrite >= patience) {
                throw new InterruptedIOException("gave up, nothing could be written for " + seconds(giveUp) + " s");
            }
        }

        /** The given wait in nanoseconds, or less where a beat or the end of patience comes first. */
        long untilNextDuty(long wait) {
            long now = System.nanoTime();
            return Math.max(0, Math.min(wait, Math.min(nextBeat - now, patience - (now - lastWrite))));
        }

        void done() {
            long elapsed = System.nanoTime() - began;
            long due = heartbeat == null ? 0 : elapsed / heartbeat;
            long[] cpu = cpu();
            BigDecimal user = seconds(cpu[0] - cpuBefore[0]);
            BigDecimal system = seconds(cpu[1] - cpuBefore[1]);
            events.print("done", "bytes", bytes, "writes", writes, "would_block", wouldBlocks, "polls", polls,
                    "poll_timeouts", pollTimeouts, "seconds", seconds(elapsed), "user", user, "system", system,
                    "crc32c", Long.toHexString(1L << 32 | crc32c.getValue()).substring(1),
                    "beats_due", due, "beats_run", beats, "beat_worst", seconds(worstBeat));
            if (!json) {
                System.err.println(spec.name() + ": " + bytes + " bytes in " + seconds(elapsed) + " s, " + writes + " writes, "
                        + wouldBlocks + " would-blocks, " + polls + " polls (" + pollTimeouts + " timed out), CPU "
                        + user + " s user, " + system + " s system, " + beats + " of " + due + " beats, worst "
                        + seconds(worstBeat) + " s late");
            }
        }

        int failed(int status, String message) {
            String problem = stopped ? socket + ": stopped by a signal" : message;
            events.print("failed", "message", problem, "bytes", bytes);
            System.err.println(spec.name() + ": " + problem + (began == 0 ? "" : "; " + bytes + " bytes had been accepted"));
            return status;
        }
    }

    /** User and system CPU time of this thread in nanoseconds, which Linux counts in steps of 10 ms. */
    static long[] cpu() {
        try {
            String stat = Files.readString(Path.of("/proc/thread-self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return new long[] {Long.parseLong(fields[11]) * 10_000_000, Long.parseLong(fields[12]) * 10_000_000};
        } catch (IOException e) {
            ThreadMXBean bean = ManagementFactory.getThreadMXBean(); // slower to load
            return new long[] {bean.getCurrentThreadUserTime(), bean.getCurrentThreadCpuTime() - bean.getCurrentThreadUserTime()};
        }
    }
    // --- the same in every sender: end

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

    /** Nanoseconds as seconds, to the microsecond. */
    static BigDecimal seconds(long nanos) {
        return BigDecimal.valueOf(nanos / 1_000, 6);
    }
    // --- the same in every script: end
}
