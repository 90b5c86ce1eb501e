///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Listen on a unix-domain socket, read slowly, and fail as asked
//JAVA 17+
//DEPS info.picocli:picocli:4.7.7
//DEPS com.kohlschutter.junixsocket:junixsocket-core:2.11.1@pom
//DEPS com.kohlschutter.junixsocket:junixsocket-common
//DEPS com.kohlschutter.junixsocket:junixsocket-native-common
//COMPILE_OPTIONS -XDstringConcat=inline
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmn4m

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.newsclub.net.unix.AFUNIXDatagramChannel;
import org.newsclub.net.unix.AFUNIXServerSocketChannel;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;
import org.newsclub.net.unix.ConnectionRefusedSocketException;
import org.newsclub.net.unix.ConnectionResetSocketException;
import org.newsclub.net.unix.OperationNotSupportedSocketException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * The slow receiver as a test double: it reads as that one does until a fault that was asked for strikes. Protocol:
 * accept, read until the end of the stream or a fault, close. Partner: the sender under test. Usage:
 * {@code jbang faulty-receiver.java --stall-after 20k --connections 1 --deadline 10s}; once it says {@code listening},
 * connecting works.
 *
 * <p>A connection is {@code --first-read-delay}, then again and again: what is due, a read, {@code --echo},
 * {@code --interval}, {@code --jitter}. What may be due before a read, in this order: (1) a stall,
 * {@code --stall-after} at SIZE bytes received, {@code --stall-every} at 1, 2, 3 ... times SIZE (not at 0),
 * {@code --stall-period} when the time of the next stall has come: at first DURATION after the accept, and when a stall
 * ends, the first multiple of DURATION after the accept that is later than this end; (2) {@code --close-after},
 * {@code --shutdown-input-after} or {@code --restart-after} at SIZE bytes received. A read takes at most
 * {@code --read-size}, and no more than is missing to the next SIZE at which one is due, so that it strikes at exactly
 * that number, in every connection that gets so far (a restart: once). 0 is before the first read; what is due at the
 * last byte strikes before the read that finds the end of the stream.
 *
 * <p>Events ({@code --json}) have {@code time}, in seconds since the Unix epoch, and {@code event}: {@code listening}
 * ({@code socket}, {@code pid}), {@code connected} ({@code connection}, {@code peer_pid}, {@code peer_uid}),
 * {@code received} after each read ({@code connection}, {@code bytes}, {@code total}), {@code closed}
 * ({@code connection}, {@code bytes}, {@code reads}, {@code seconds}, {@code crc32c}, {@code end}: {@code eof},
 * {@code reset}, {@code close} or {@code restart} after that fault, or {@code hangup}: the peer closed while nothing
 * was read any more). A fault is an event when it strikes, named as its option: {@code first_read_delay}, {@code jitter},
 * {@code stall}, {@code resume}, {@code close}, {@code shutdown_input}, {@code restart}, {@code echo} have
 * {@code connection}, {@code bytes} (received so far) and, where it lasts, {@code seconds}. Others are
 * {@code never_accept} ({@code backlog}), {@code crc32c_differs} ({@code connection}, {@code bytes}, {@code crc32c},
 * {@code expected}) and {@code deadline} ({@code seconds}). Without {@code --json} a fault is a line on standard error.
 * Lines are shown before a pause, and otherwise within 20 ms.
 *
 * <p>Exit status: 0 all connections asked for were served, with whatever faults; 1 one of them differs from
 * {@code --expect-crc32c}, or an I/O error, also of standard output; 2 usage; 3 the deadline passed.
 * Limits: only {@code --deadline} bounds the wait for a peer that neither sends nor closes; the socket file has mode 666
 * for a moment before it has {@code --mode}: where that matters, put it into a directory of mode 700.
 */
@Command(name = "faulty-receiver", version = "faulty-receiver 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "Listens on a unix-domain socket, reads slowly, and fails as asked.")
class FaultyReceiver implements Callable<Integer> {
    private static final long NEVER = Long.MAX_VALUE / 2;
    private static final Duration FOREVER = Duration.ofNanos(NEVER);
    private static final Executor SOON = CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS, Runnable::run);

    @Option(names = {"-s", "--socket"}, paramLabel = "PATH", defaultValue = "slow_receiver.sock",
            description = "Socket to listen on (default: ${DEFAULT-VALUE}).") Path socket;
    @Option(names = {"-r", "--read-size"}, paramLabel = "SIZE", defaultValue = "20k",
            description = "Most bytes taken by one read (default: ${DEFAULT-VALUE}).") long readSize;
    @Option(names = {"-t", "--interval"}, paramLabel = "DURATION", defaultValue = "1s",
            description = "Pause after each read; 0s: none (default: ${DEFAULT-VALUE}).") Duration interval;
    @Option(names = "--connections", paramLabel = "N", defaultValue = "0", description = "Exit after so many"
            + " connections; 0: run until stopped (default: ${DEFAULT-VALUE}).") int connections;
    @Option(names = "--output", paramLabel = "FILE", description = "Write what is received to FILE, which is replaced"
            + " when the first connection comes; -: to standard output, and the text to standard error.") Path output;
    @Option(names = "--mode", paramLabel = "OCTAL", defaultValue = "600",
            description = "Permissions of the socket file (default: ${DEFAULT-VALUE}).") String mode;
    @Option(names = "--json", description = "Print events as JSON Lines instead of text.") boolean json;
    @Option(names = "--first-read-delay", paramLabel = "DURATION", defaultValue = "0s", description = "Pause between"
            + " accepting a connection and the first read (default: ${DEFAULT-VALUE}).") Duration firstReadDelay;
    @Option(names = "--jitter", paramLabel = "DURATION", defaultValue = "0s", description = "Pause after each read"
            + " for a random time more, up to DURATION (default: ${DEFAULT-VALUE}).") Duration jitter;
    @Option(names = "--seed", paramLabel = "N", defaultValue = "0",
            description = "Choose the sequence of --jitter (default: ${DEFAULT-VALUE}).") Long seed;
    @Option(names = "--stall-after", paramLabel = "SIZE", description = "Read no more after SIZE bytes, but stay open"
            + " until the peer closes.") long stallAfter = NEVER;
    @Option(names = "--stall-every", paramLabel = "SIZE", description = "After each SIZE bytes, read nothing for the"
            + " time of --resume-after.") long stallEvery = NEVER;
    @Option(names = "--stall-period", paramLabel = "DURATION", description = "Each time DURATION has passed, read"
            + " nothing for the time of --resume-after.") Duration stallPeriod = FOREVER;
    @Option(names = "--resume-after", paramLabel = "DURATION",
            description = "Read on when the stall has lasted so long.") Duration resumeAfter = FOREVER;
    @Option(names = "--close-after", paramLabel = "SIZE",
            description = "Close the connection after SIZE bytes, with the rest unread.") long closeAfter = NEVER;
    @Option(names = "--shutdown-input-after", paramLabel = "SIZE", description = "Shut down the input after SIZE bytes,"
            + " but stay open until the peer closes.") long shutdownInputAfter = NEVER;
    @Option(names = "--restart-after", paramLabel = "SIZE", description = "Be gone, as if killed, when the first"
            + " connection has got so far: every connection is closed, the socket file is stale."
            + " Then listen there again.") long restartAfter = NEVER;
    @Option(names = "--down", paramLabel = "DURATION", defaultValue = "1s",
            description = "How long to be gone (default: ${DEFAULT-VALUE}).") Duration down;
    @Option(names = "--echo", description = "Write back what was read, before the pause.") boolean echo;
    @Option(names = "--never-accept", description = "Listen, but accept no connection.") boolean neverAccept;
    @Option(names = "--backlog", paramLabel = "N", defaultValue = "50", description = "Connections that may wait to be"
            + " accepted; on Linux one more (default: ${DEFAULT-VALUE}).") int backlog;
    @Option(names = "--parallel", paramLabel = "N", defaultValue = "1",
            description = "Connections served at once (default: ${DEFAULT-VALUE}).") int parallel;
    @Option(names = "--expect-crc32c", paramLabel = "HEX", description = "Exit with status 1 when what a connection"
            + " received has another CRC-32C.") String expectCrc32c;
    @Option(names = "--deadline", paramLabel = "DURATION", description = "Exit with status 3 when not done after so long"
            + " (default: never).") Duration deadline = FOREVER;
    @Spec CommandSpec spec;

    private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean restarted = new AtomicBoolean(), unflushed = new AtomicBoolean();
    private final AtomicLong differing = new AtomicLong();
    private volatile AFUNIXServerSocketChannel server;
    private volatile Object ownFile;
    private PrintStream text;
    private FileOutputStream file;

    public static void main(String... args) {
        FaultyReceiver receiver = new FaultyReceiver();
        int status = new CommandLine(receiver).setExpandAtFiles(false)
                .registerConverter(long.class, FaultyReceiver::size)
                .registerConverter(Duration.class, FaultyReceiver::duration)
                .setParameterExceptionHandler((e, all) -> receiver.misused(e.getMessage()))
                .setExecutionExceptionHandler((e, command, parsed) -> receiver.failed(e)).execute(args);
        System.exit(System.out.checkError() ? receiver.failed("standard output: cannot be written to") : status);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkOptions();
        checkPaths();
        FileDescriptor descriptor = isStandardOutput() ? FileDescriptor.err : FileDescriptor.out;
        text = new PrintStream(new BufferedOutputStream(new FileOutputStream(descriptor), 1 << 16));
        Runtime.getRuntime().addShutdownHook(new Thread(this::tidyUp));
        listen();
        CompletableFuture.delayedExecutor(deadline.toNanos(), TimeUnit.NANOSECONDS).execute(this::passDeadline);
        if (neverAccept) {
            strike("never_accept", "backlog", backlog);
            new CountDownLatch(1).await();
        }
        serveAll();
        flush();
        return differing.get() == 0 ? CommandLine.ExitCode.OK : failed(socket + ": " + differing + " of " + connections
                + " connections differ from --expect-crc32c " + expectCrc32c);
    }

    private void checkOptions() {
        check(connections >= 0, "--connections must not be negative");
        check(backlog >= 1, "--backlog must be at least 1");
        check(parallel >= 1, "--parallel must be at least 1");
        check(stallEvery >= 1, "--stall-every must be at least 1");
        check(!stallPeriod.isZero(), "--stall-period must be longer than 0s");
        check(!deadline.isZero(), "--deadline must be longer than 0s");
        check(!socket.toString().isEmpty(), "--socket must not be empty");
        check(output == null || !output.toString().isEmpty(), "--output must not be empty");
        checkValue("--read-size", readSize >= 1 && readSize <= 2047 << 20, "is not between 1 and 2047m");
        checkValue("--mode", mode.matches("0?[0-7]{3}"), "is not a mode such as 600 or 660");
        checkValue("--expect-crc32c", expectCrc32c == null || expectCrc32c.matches("[0-9a-fA-F]{8}"),
                "is not 8 hexadecimal digits such as dc3e0071");
        check(parallel <= Runtime.getRuntime().maxMemory() / readSize, "--parallel, --read-size: not enough memory for "
                + parallel + " connections at once with buffers of " + readSize + " bytes");
        check(parallel == 1 || output == null, "--parallel does not go with --output, which would mix the connections");
        check(!given("--seed") || given("--jitter"), "--seed needs --jitter");
        check(!given("--down") || given("--restart-after"), "--down needs --restart-after");
        check(!given("--restart-after") || connections != 1,
                "--restart-after needs --connections of 2 or more, or 0, to come back for");
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            boolean fits = option.longestName().matches("--(socket|mode|json|never-accept|backlog|deadline)");
            check(!neverAccept || fits, option.longestName() + " does not go with --never-accept");
        }
        checkFaults();
    }

    private void checkFaults() {
        List<String> stalls = Stream.of("--stall-after", "--stall-every", "--stall-period").filter(this::given).toList();
        String stall = String.join(" does not go with ", stalls);
        check(stalls.size() <= 1, stall);
        check(!given("--resume-after") || stalls.size() == 1,
                "--resume-after needs --stall-after, --stall-every or --stall-period");
        check(given("--resume-after") || stalls.isEmpty() || given("--stall-after"), stall + " needs --resume-after");
        long ends = Stream.of("--close-after", "--shutdown-input-after", "--restart-after").filter(this::given).count();
        check(ends + (given("--stall-after") && !given("--resume-after") ? 1 : 0) <= 1, "one fault can end a connection:"
                + " --stall-after without --resume-after, --close-after, --shutdown-input-after or --restart-after");
        check(ends == 0 || stalls.isEmpty() || given("--stall-period") || Math.min(stallAfter, stallEvery)
                <= Math.min(closeAfter, Math.min(shutdownInputAfter, restartAfter)),
                stall + " is never reached, as the connection ends before");
    }

    private boolean given(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    private void checkValue(String option, boolean valid, String problem) {
        String value = String.join("", spec.findOption(option).originalStringValues());
        check(valid, "Invalid value for option '" + option + "': '" + value + "' " + problem);
    }

    private void check(boolean valid, String problem) {
        if (!valid) {
            throw new ParameterException(spec.commandLine(), problem);
        }
    }

    private void checkPaths() throws FileSystemException {
        String tmp = System.getProperty("org.newsclub.net.unix.library.tmpdir", System.getProperty("java.io.tmpdir"));
        require(Files.isWritable(Path.of(tmp)), tmp, "cannot unpack junixsocket's native library here;"
                + " name a writable directory with -Dorg.newsclub.net.unix.library.tmpdir=DIR");
        check(socket.toString().getBytes(AFUNIXSocketAddress.addressCharset()).length <= 107,
                "--socket must not be longer than 107 bytes: " + socket);
        require(isInADirectory(socket), socket, "its directory does not exist");
        if (output != null && !isStandardOutput()) {
            require(!Files.isDirectory(output), output, "is a directory");
            boolean isWritable = Files.exists(output) ? Files.isWritable(output) : isInADirectory(output);
            require(isWritable, output, "cannot be written to");
        }
    }

    /** Not by the absolute path: the JDK cannot spell a working directory whose name is outside the locale. */
    private static boolean isInADirectory(Path path) throws FileSystemException {
        require(path.isAbsolute() || Files.isDirectory(Path.of("")), path,
                "the working directory's name does not fit the locale; set LC_ALL=C.UTF-8");
        return path.getParent() == null || Files.isDirectory(path.getParent());
    }

    private static void require(boolean met, Object path, String problem) throws FileSystemException {
        if (!met) {
            throw new FileSystemException(path.toString(), null, problem);
        }
    }

    /** Listens on the socket, after looking at what is there: only a socket that nobody holds any more is replaced. */
    private synchronized void listen() throws IOException {
        if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            boolean isSocket = ((int) attribute("unix:mode") & 0170000) == 0140000; // S_IFMT, S_IFSOCK
            require(isSocket, socket, "exists and is not a socket; take another path");
            require(!isInUse(), socket, "another receiver is listening");
            Files.delete(socket);
        }
        AFUNIXServerSocketChannel listening = AFUNIXServerSocketChannel.open();
        listening.socket().setReuseAddress(false);
        listening.setDeleteOnClose(false); // would delete by path, whosoever file is there by then
        listening.bind(AFUNIXSocketAddress.of(socket), backlog);
        ownFile = attribute("fileKey");
        Files.setAttribute(socket, "unix:mode", Integer.parseInt(mode, 8));
        server = listening;
        tell(null, "listening", "socket", socket.toString(), "pid", ProcessHandle.current().pid());
        flush();
        if (!json) {
            say("listening on " + socket);
        }
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

    private Object attribute(String name) throws IOException {
        return Files.getAttribute(socket, name, LinkOption.NOFOLLOW_LINKS);
    }

    private void tidyUp() {
        try {
            if (attribute("fileKey").equals(ownFile)) {
                Files.delete(socket);
            }
            TimeUnit.MILLISECONDS.sleep(unflushed.get() ? 20 : 0);
        } catch (IOException | InterruptedException e) {
            return; // somebody removed the file already
        }
    }

    /** Serves so many at once; then the next connection waits in the backlog. */
    private void serveAll() throws IOException, InterruptedException {
        Semaphore free = new Semaphore(parallel);
        for (long number = 1; number <= connections || connections == 0; number++) {
            free.acquire();
            Session session = new Session(number, accept());
            sessions.add(session);
            if (!server.isOpen()) {
                session.cut(); // accepted while another connection went down
            }
            new Thread(() -> {
                session.serve();
                free.release();
            }).start();
        }
        free.acquire(parallel);
    }

    private AFUNIXSocketChannel accept() throws IOException, InterruptedException {
        try {
            return server.accept();
        } catch (ClosedChannelException e) {
            TimeUnit.NANOSECONDS.sleep(down.toNanos());
            listen();
            return accept();
        }
    }

    /** As if killed: what listens and what is connected is closed at once, while the socket file stays. */
    private synchronized void goDown() throws IOException {
        server.close();
        for (Session session : sessions) {
            session.cut();
        }
    }

    private void passDeadline() {
        tell(null, "deadline", "seconds", seconds(deadline.toNanos()));
        flush();
        failed(socket + ": not done " + seconds(deadline.toNanos()) + " s after listening (--deadline)");
        System.exit(3);
    }

    /** A connection, and the faults that strike it. */
    private class Session {
        private final long number;
        private final AFUNIXSocketChannel channel;
        private final SplittableRandom random;
        private final CountDownLatch cut = new CountDownLatch(1);
        private final CRC32C crc32c = new CRC32C();
        private final long accepted = System.nanoTime();
        private long bytes, reads, nextStall = stallPeriod.toNanos();

        Session(long number, AFUNIXSocketChannel channel) {
            this.number = number;
            this.channel = channel;
            random = new SplittableRandom(seed + number);
        }

        void serve() {
            String end;
            try (channel) {
                try {
                    end = receive(ByteBuffer.allocateDirect((int) readSize));
                } catch (ClosedChannelException | ConnectionResetSocketException e) {
                    end = "reset";
                }
                String crc = String.format("%08x", crc32c.getValue());
                tell("connection closed", "closed", "connection", number, "bytes", bytes, "reads", reads,
                        "seconds", seconds(System.nanoTime() - accepted), "crc32c", crc,
                        "end", cut.getCount() == 0 ? "restart" : end);
                if (expectCrc32c != null && !expectCrc32c.equalsIgnoreCase(crc)) {
                    differing.incrementAndGet();
                    strike("crc32c_differs", "crc32c", crc, "expected", expectCrc32c);
                }
            } catch (IOException | InterruptedException | OutOfMemoryError e) {
                System.exit(failed(e));
            }
            sessions.remove(this);
        }

        /** Receives until something ends the connection; tells what. */
        private String receive(ByteBuffer buffer) throws IOException, InterruptedException {
            tell("connected", "connected", "connection", number, "peer_pid", channel.getPeerCredentials().getPid(),
                    "peer_uid", channel.getPeerCredentials().getUid());
            keep(buffer.limit(0));
            pause("first_read_delay", firstReadDelay);
            String end = null;
            while (end == null) {
                stallIfDue();
                end = lastFault();
                end = end == null ? read(buffer) : end;
            }
            return end;
        }

        private void stallIfDue() throws InterruptedException {
            boolean again = bytes > 0 && bytes % stallEvery == 0 || System.nanoTime() - accepted >= nextStall;
            if (again || bytes == stallAfter && resumeAfter != FOREVER) {
                pause("stall", resumeAfter);
                strike("resume");
                nextStall = ((System.nanoTime() - accepted) / stallPeriod.toNanos() + 1) * stallPeriod.toNanos();
            }
        }

        /** The fault that ends the connection, if it is due: tells the end, or null. */
        private String lastFault() throws IOException {
            if (bytes == stallAfter && resumeAfter == FOREVER) {
                strike("stall");
                return awaitHangup();
            }
            if (bytes == closeAfter) {
                channel.close();
                strike("close");
                return "close";
            }
            if (bytes == shutdownInputAfter) {
                channel.shutdownInput();
                strike("shutdown_input");
                return awaitHangup();
            }
            if (bytes == restartAfter && restarted.compareAndSet(false, true)) {
                goDown();
                strike("restart", "seconds", seconds(down.toNanos()));
                return "restart";
            }
            return null;
        }

        /** Reads nothing more, and waits until the peer has closed: poll tells that even where it is asked for nothing. */
        private String awaitHangup() throws IOException {
            channel.configureBlocking(false);
            try (Selector selector = channel.provider().openSelector()) {
                channel.register(selector, 0);
                return selector.select() > 0 ? "hangup" : awaitHangup();
            } catch (SocketException e) {
                return awaitHangup(); // an interrupted poll
            }
        }

        /** The slow consumer: reads what is there, though not past a fault, and works on it for a while. */
        private String read(ByteBuffer buffer) throws IOException, InterruptedException {
            long most = Math.min(readSize, stallEvery - bytes % stallEvery);
            for (long fault : new long[] {stallAfter, closeAfter, shutdownInputAfter, restartAfter}) {
                most = fault > bytes ? Math.min(most, fault - bytes) : most;
            }
            int n = channel.read(buffer.clear().limit((int) most));
            if (n < 0) {
                return "eof";
            }
            reads++;
            bytes += n;
            tell("received " + n + " bytes...", "received", "connection", number, "bytes", n, "total", bytes);
            crc32c.update(buffer.flip());
            keep(buffer.rewind());
            if (echo) {
                strike("echo");
            }
            for (buffer.rewind(); echo && buffer.hasRemaining();) {
                channel.write(buffer);
            }
            sleep(interval.toNanos());
            pause("jitter", Duration.ofNanos((long) (random.nextDouble() * jitter.toNanos())));
            return null;
        }

        /** Writes to --output, which the first connection opens. */
        private void keep(ByteBuffer buffer) throws FileSystemException {
            try {
                if (output != null && file == null) {
                    file = isStandardOutput() ? new FileOutputStream(FileDescriptor.out)
                            : new FileOutputStream(output.toFile());
                }
                while (file != null && buffer.hasRemaining()) {
                    file.getChannel().write(buffer);
                }
            } catch (IOException e) {
                require(false, isStandardOutput() ? "standard output" : output,
                        file == null ? "cannot be written to" : e.getMessage());
            }
        }

        private void pause(String fault, Duration time) throws InterruptedException {
            if (!time.isZero()) {
                strike(fault, "seconds", seconds(time.toNanos()));
                sleep(time.toNanos());
            }
        }

        private void sleep(long nanos) throws InterruptedException {
            if (nanos > 0) {
                flush();
                cut.await(nanos, TimeUnit.NANOSECONDS);
            }
        }

        private void strike(String fault, Object... details) {
            Stream<Object> fields = Stream.of("connection", number, "bytes", bytes);
            FaultyReceiver.this.strike(fault, Stream.concat(fields, Stream.of(details)).toArray());
        }

        /** Ends the connection from another thread: what it waits for, a read, a write or a pause, returns at once. */
        void cut() throws IOException {
            cut.countDown();
            channel.close();
        }
    }

    /** Tells of a fault at the moment when it strikes. */
    private void strike(String fault, Object... fields) {
        tell(null, fault, fields);
        if (!json) {
            flush();
            say(fault.replace('_', '-') + ": " + join(fields).substring(1).replace("\"", "").replace(":", " ")
                    .replace(",", ", "));
        }
    }

    /** Tells an event, or without --json the text: through a buffer, as a system call a read would slow the reads. */
    private void tell(String plain, String event, Object... fields) {
        Instant now = Instant.now();
        BigDecimal time = seconds(now.getEpochSecond() * 1_000_000_000 + now.getNano());
        String line = json ? "{\"time\":" + time + ",\"event\":\"" + event + '"' + join(fields) + '}' : plain;
        if (line != null) {
            text.println(line);
        }
        if (!unflushed.getAndSet(true)) {
            SOON.execute(this::flush);
        }
    }

    private void flush() {
        unflushed.set(false);
        if (text.checkError()) {
            System.exit(failed((isStandardOutput() ? "standard error" : "standard output") + ": cannot be written to"));
        }
    }

    /** The members of a JSON object, from a name, its value, a name, its value ..., each after a comma. */
    private static String join(Object... fields) {
        StringBuilder joined = new StringBuilder();
        for (int i = 0; i < fields.length; i += 2) {
            joined.append(",\"").append(fields[i]).append("\":");
            joined.append(fields[i + 1] instanceof String string ? quote(string) : fields[i + 1]);
        }
        return joined.toString();
    }

    private static String quote(String string) {
        return string.chars().mapToObj(c -> c < ' ' || c > '~' || c == '"' || c == '\\' ? String.format("\\u%04x", c)
                : Character.toString(c)).collect(Collectors.joining("", "\"", "\""));
    }

    /** Says what is wrong with the command line, in words that are not Java's. */
    private int misused(String problem) {
        failed(problem.replaceAll("is not an? (int|long)$", "is not a whole number")
                .replaceAll("cannot convert ('.*') to Path .*", "$1 does not fit the locale; set LC_ALL=C.UTF-8")
                + " (see --help)");
        return CommandLine.ExitCode.USAGE;
    }

    private int failed(Throwable e) {
        return failed(e instanceof FileSystemException ? e.getMessage() : socket + ": " + e.getMessage());
    }

    private int failed(String problem) {
        say(problem);
        return CommandLine.ExitCode.SOFTWARE;
    }

    private void say(String line) {
        System.err.println(spec.name() + ": " + line.replace("\n", "\\n"));
    }

    private boolean isStandardOutput() {
        return output != null && output.toString().equals("-");
    }

    /** Bytes, from a whole number, also with the unit k, m or g (1024-based). */
    private static long size(String text) {
        if (!text.matches("\\d{1,9}[kmgKMG]?|\\d{10,18}")) {
            throw new TypeConversionException("'" + text + "' is not a size such as 4096, 20k, 1m or 5g");
        }
        int unit = " kmg".indexOf(Character.toLowerCase(text.charAt(text.length() - 1)));
        return Long.parseLong(text.replaceAll("\\D", "")) << 10 * Math.max(0, unit);
    }

    private static Duration duration(String text) {
        if (!text.matches("\\d{1,8}(\\.\\d{1,9})?(ms|s|m)")) {
            throw new TypeConversionException("'" + text + "' is not a duration such as 100ms, 1s, 1.5s or 2m");
        }
        double unit = text.endsWith("ms") ? 1e6 : text.endsWith("s") ? 1e9 : 60e9;
        return Duration.ofNanos(Math.round(Double.parseDouble(text.replaceAll("[ms]", "")) * unit));
    }

    /** Nanoseconds as seconds, to the microsecond. */
    private static BigDecimal seconds(long nanos) {
        return BigDecimal.valueOf(nanos / 1_000, 6);
    }
}
