///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Listen on a unix-domain socket, read slowly, and fail as asked
//JAVA 17+
//DEPS info.picocli:picocli:4.7.7
//DEPS com.kohlschutter.junixsocket:junixsocket-core:2.11.1@pom
//DEPS com.kohlschutter.junixsocket:junixsocket-common
//DEPS com.kohlschutter.junixsocket:junixsocket-native-common
//COMPILE_OPTIONS -XDstringConcat=inline
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmn4m

import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.Selector;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * The slow receiver as a test double: it reads as that one does until a fault that was asked for strikes. A fault that
 * waits for a number of bytes strikes at exactly that number, in every connection that gets so far, after the pause of
 * the read that reached it; 0 is before the first read.
 *
 * <p>Protocol: accept, read until the end of the stream or a fault, close. Partner: the sender under test. Usage:
 * {@code jbang faulty-receiver.java --stall-after 20k --connections 1 --deadline 10s}; from the line {@code listening}
 * on, connecting works.
 *
 * <p>A fault is an event when it strikes, named as its option: {@code first_read_delay}, {@code jitter}, {@code stall},
 * {@code resume}, {@code close}, {@code shutdown_input}, {@code restart}, {@code echo}. It has {@code connection},
 * {@code bytes} (received so far) and, where it is a pause, {@code seconds}. Others are {@code never_accept}
 * ({@code backlog}), {@code crc32c_differs} ({@code connection}, {@code bytes}, {@code crc32c}, {@code expected}) and
 * {@code deadline} ({@code seconds}). Without {@code --json} each is a line on standard error. In the event
 * {@code closed}, {@code end} is {@code eof} or {@code reset} as in the slow receiver, {@code close} or {@code restart}
 * after that fault, or {@code hangup}: the peer closed while nothing was read any more.
 *
 * <p>Exit status: 0 all connections asked for were served, with whatever faults; 1 one of them differs from
 * {@code --expect-crc32c}, or an I/O error; 2 usage; 3 the deadline passed.
 *
 * <p>Limits: those of the slow receiver; only {@code --deadline} bounds the wait for a peer that neither sends nor
 * closes.
 */
@Command(name = "faulty-receiver", version = "faulty-receiver 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "Listens on a unix-domain socket, reads slowly, and fails as asked.")
class FaultyReceiver implements Callable<Integer>, IParameterExceptionHandler {
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

    @Option(names = "--first-read-delay", paramLabel = "DURATION", defaultValue = "0s",
            converter = DurationConverter.class,
            description = "Pause between accepting a connection and the first read (default: ${DEFAULT-VALUE}).")
    long firstReadDelay;
    @Option(names = "--jitter", paramLabel = "DURATION", defaultValue = "0s", converter = DurationConverter.class,
            description = "Pause after each read for a random time more, up to DURATION (default: ${DEFAULT-VALUE}).")
    long jitter;
    @Option(names = "--seed", paramLabel = "N", defaultValue = "0",
            description = "Choose the sequence of --jitter (default: ${DEFAULT-VALUE}).")
    long seed;
    @Option(names = "--stall-after", paramLabel = "SIZE", converter = SizeConverter.class,
            description = "Read no more after SIZE bytes, but stay open until the peer closes.")
    Long stallAfter;
    @Option(names = "--resume-after", paramLabel = "DURATION", converter = DurationConverter.class,
            description = "Read on when the stall has lasted so long.")
    Long resumeAfter;
    @Option(names = "--close-after", paramLabel = "SIZE", converter = SizeConverter.class,
            description = "Close the connection after SIZE bytes, with the rest unread.")
    Long closeAfter;
    @Option(names = "--shutdown-input-after", paramLabel = "SIZE", converter = SizeConverter.class,
            description = "Shut down the input after SIZE bytes, but stay open until the peer closes.")
    Long shutdownInputAfter;
    @Option(names = "--restart-after", paramLabel = "SIZE", converter = SizeConverter.class,
            description = "Be gone, as if killed, when the first connection has got so far: every connection is closed,"
                    + " the socket file is stale. Then listen there again.")
    Long restartAfter;
    @Option(names = "--down", paramLabel = "DURATION", defaultValue = "1s", converter = DurationConverter.class,
            description = "How long to be gone (default: ${DEFAULT-VALUE}).")
    long down;
    @Option(names = "--echo", description = "Write back what was read, before the pause.")
    boolean echo;
    @Option(names = "--never-accept", description = "Listen, but accept no connection.")
    boolean neverAccept;
    @Option(names = "--backlog", paramLabel = "N", defaultValue = "50",
            description = "Connections that may wait to be accepted; on Linux one more (default: ${DEFAULT-VALUE}).")
    int backlog;
    @Option(names = "--parallel", paramLabel = "N", defaultValue = "1",
            description = "Connections served at once (default: ${DEFAULT-VALUE}).")
    int parallel;
    @Option(names = "--expect-crc32c", paramLabel = "HEX", converter = Crc32cConverter.class,
            description = "Exit with status 1 when what a connection received has another CRC-32C.")
    String expectCrc32c;
    @Option(names = "--deadline", paramLabel = "DURATION", converter = DurationConverter.class,
            description = "Exit with status 3 when not done after so long (default: never).")
    Long deadline;

    private static final List<String> WITHOUT_CONNECTIONS =
            List.of("--socket", "--mode", "--json", "--never-accept", "--backlog", "--deadline");

    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean restarted = new AtomicBoolean();
    private final AtomicLong differing = new AtomicLong();
    private volatile AFUNIXServerSocketChannel server;
    private PrintStream text;
    private JsonLines events;
    private FileChannel file;

    public static void main(String... args) {
        FaultyReceiver receiver = new FaultyReceiver();
        System.exit(new CommandLine(receiver).setParameterExceptionHandler(receiver).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        checkOptions();
        text = "-".equals(output) ? System.err : System.out;
        events = new JsonLines(json ? text : null);
        try {
            checkSocketPath();
            checkOutput();
            BlockingQueue<ByteBuffer> buffers = new ArrayBlockingQueue<>(parallel);
            while (buffers.remainingCapacity() > 0) {
                buffers.add(ByteBuffer.allocateDirect((int) readSize));
            }
            server = listen(backlog);
            if (deadline != null) {
                CompletableFuture.delayedExecutor(deadline, TimeUnit.NANOSECONDS).execute(this::passDeadline);
            }
            if (neverAccept) {
                strike("never_accept", "backlog", backlog);
                new CountDownLatch(1).await();
            }
            serveAll(buffers);
        } catch (OutOfMemoryError e) {
            return failed("--parallel, --read-size: not enough memory for " + parallel + " connections at once with"
                    + " buffers of " + readSize + " bytes");
        } catch (IOException e) {
            return failed(e);
        }
        if (differing.get() > 0) {
            return failed(socket + ": " + differing + " of " + connections + " connections differ from --expect-crc32c "
                    + expectCrc32c);
        }
        return CommandLine.ExitCode.OK;
    }

    private void checkOptions() {
        check(connections >= 0, "--connections must not be negative");
        check(backlog >= 1, "--backlog must be at least 1");
        check(parallel >= 1, "--parallel must be at least 1");
        check(deadline == null || deadline > 0, "--deadline must be longer than 0s");
        check(!given("--resume-after") || given("--stall-after"), "--resume-after needs --stall-after");
        check(!given("--seed") || given("--jitter"), "--seed needs --jitter");
        check(!given("--down") || given("--restart-after"), "--down needs --restart-after");
        check(parallel == 1 || output == null, "--parallel does not go with --output, which would mix the connections");
        check(restartAfter == null || connections != 1,
                "--restart-after needs --connections of 2 or more, or 0, to come back for");
        Long stallForGood = resumeAfter == null ? stallAfter : null;
        List<Long> ends = new ArrayList<>(Arrays.asList(stallForGood, closeAfter, shutdownInputAfter, restartAfter));
        ends.removeIf(size -> size == null);
        check(ends.size() <= 1, "one fault can end a connection: --stall-after without --resume-after, --close-after,"
                + " --shutdown-input-after or --restart-after");
        check(stallAfter == null || ends.isEmpty() || stallAfter <= ends.get(0),
                "--stall-after is never reached, as the connection ends before");
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            check(!neverAccept || WITHOUT_CONNECTIONS.contains(option.longestName()),
                    option.longestName() + " does not go with --never-accept");
        }
    }

    private boolean given(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    // Accepting, in the main thread

    /** Serves as many at once as there are buffers; then the next connection waits in the backlog. */
    private void serveAll(BlockingQueue<ByteBuffer> buffers) throws IOException, InterruptedException {
        Executor executor = parallel == 1 ? Runnable::run : task -> new Thread(task).start();
        for (long number = 1; number <= connections || connections == 0; number++) {
            ByteBuffer buffer = buffers.take();
            Session session = new Session(number, accept());
            sessions.add(session);
            if (!server.isOpen()) {
                session.cut(); // accepted while another connection went down
            }
            executor.execute(() -> {
                serve(session, buffer);
                buffers.add(buffer);
            });
        }
        for (int served = 0; served < parallel; served++) {
            buffers.take();
        }
    }

    private AFUNIXSocketChannel accept() throws IOException, InterruptedException {
        while (true) {
            try {
                return server.accept();
            } catch (ClosedChannelException e) {
                TimeUnit.NANOSECONDS.sleep(down);
                comeBack();
            }
        }
    }

    /** As if killed: what listens and what is connected is closed at once, while the socket file stays. */
    private synchronized void goDown(Session cause) throws IOException {
        server.close();
        for (Session session : sessions) {
            session.cut();
        }
        cause.strike("restart", "seconds", seconds(down));
    }

    private synchronized void comeBack() throws IOException {
        server = listen(backlog);
    }

    private void serve(Session session, ByteBuffer buffer) {
        try (session) {
            session.closed(session.receive(buffer));
            session.compare();
        } catch (IOException e) {
            System.exit(failed(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends all that is waited for, in whichever thread. */
    private void passDeadline() {
        events.print("deadline", "seconds", seconds(deadline));
        failed(socket + ": not done " + seconds(deadline) + " s after listening (--deadline)");
        System.exit(3);
    }

    /** Tells of a fault at the moment when it strikes. */
    private void strike(String fault, Object... fields) {
        events.print(fault, fields);
        if (!json) {
            StringBuilder line = new StringBuilder(fault.replace('_', '-'));
            for (int i = 0; i < fields.length; i += 2) {
                line.append(i == 0 ? ": " : ", ").append(fields[i]).append(' ').append(fields[i + 1]);
            }
            failed(line.toString());
        }
    }

    private int failed(IOException e) {
        return failed(e instanceof FileSystemException ? e.getMessage() : socket + ": " + e.getMessage());
    }

    // Listening

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

    // Serving one connection

    /** A connection and the faults that strike it. */
    class Session extends Connection implements Closeable {
        private final AFUNIXSocketChannel channel;
        private final SplittableRandom random;
        private final CountDownLatch cut = new CountDownLatch(1);

        Session(long number, AFUNIXSocketChannel channel) {
            super(number);
            this.channel = channel;
            random = new SplittableRandom(seed + number);
        }

        /** Receives until something ends the connection; tells what. */
        private String receive(ByteBuffer buffer) throws IOException, InterruptedException {
            try {
                connected(channel);
                String end = readUntilFault(buffer);
                return isCut() ? "restart" : end;
            } catch (ClosedChannelException | ConnectionResetSocketException e) {
                return isCut() ? "restart" : "reset";
            }
        }

        /** The slow consumer, with each fault where it is due. */
        private String readUntilFault(ByteBuffer buffer) throws IOException, InterruptedException {
            pause("first_read_delay", firstReadDelay);
            boolean stalled = false;
            while (true) {
                if (due(stallAfter) && !stalled) {
                    stalled = true;
                    if (resumeAfter == null) {
                        strike("stall");
                        return awaitHangup();
                    }
                    pause("stall", resumeAfter);
                    strike("resume");
                }
                if (due(closeAfter)) {
                    channel.close();
                    strike("close");
                    return "close";
                }
                if (due(shutdownInputAfter)) {
                    channel.shutdownInput();
                    strike("shutdown_input");
                    return awaitHangup();
                }
                if (due(restartAfter) && restarted.compareAndSet(false, true)) {
                    goDown(this);
                    return "restart";
                }
                if (channel.read(buffer.clear().limit(untilNextFault())) < 0) {
                    return "eof";
                }
                received(buffer.flip());
                if (echo) {
                    strike("echo");
                    for (buffer.rewind(); buffer.hasRemaining();) {
                        channel.write(buffer);
                    }
                }
                cut.await(interval, TimeUnit.NANOSECONDS);
                pause("jitter", (long) (random.nextDouble() * jitter));
            }
        }

        private boolean due(Long size) {
            return size != null && size == bytes;
        }

        /** Most bytes that the next read may take, so as not to go past a fault. */
        private int untilNextFault() {
            long next = readSize;
            for (Long size : Arrays.asList(stallAfter, closeAfter, shutdownInputAfter, restartAfter)) {
                next = size == null || size <= bytes ? next : Math.min(next, size - bytes);
            }
            return (int) next;
        }

        /** Reads no more, and waits until the peer has closed: poll tells that even where it is asked for nothing. */
        private String awaitHangup() throws IOException {
            channel.configureBlocking(false);
            try (Selector selector = channel.provider().openSelector()) {
                channel.register(selector, 0);
                while (true) {
                    try {
                        if (selector.select() > 0) {
                            return "hangup";
                        }
                    } catch (SocketException e) {
                        continue; // an interrupted poll
                    }
                }
            }
        }

        private void pause(String fault, long nanos) throws InterruptedException {
            if (nanos > 0) {
                strike(fault, "seconds", seconds(nanos));
                cut.await(nanos, TimeUnit.NANOSECONDS);
            }
        }

        private void strike(String fault, Object... details) {
            List<Object> fields = new ArrayList<>(List.of("connection", number, "bytes", bytes));
            fields.addAll(List.of(details));
            FaultyReceiver.this.strike(fault, fields.toArray());
        }

        private void compare() {
            if (expectCrc32c != null && !expectCrc32c.equals(crc32c())) {
                differing.incrementAndGet();
                strike("crc32c_differs", "crc32c", crc32c(), "expected", expectCrc32c);
            }
        }

        /** Ends the connection from another thread: what it waits for, a read, a write or a pause, returns at once. */
        private void cut() throws IOException {
            cut.countDown();
            channel.close();
        }

        private boolean isCut() {
            return cut.getCount() == 0;
        }

        @Override
        public void close() throws IOException {
            sessions.remove(this);
            channel.close();
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
    /** A CRC-32C in hexadecimal, as the event closed has it. */
    static class Crc32cConverter implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (text.matches("[0-9a-fA-F]{8}")) {
                return text.toLowerCase(Locale.ROOT);
            }
            throw new TypeConversionException("'" + text + "' is not 8 hexadecimal digits such as dc3e0071");
        }
    }

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
