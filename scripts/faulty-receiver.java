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
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
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
 * was read any more). A fault is an event when it strikes, named as its option: {@code first_read_delay},
 * {@code jitter}, {@code stall}, {@code resume}, {@code close}, {@code shutdown_input}, {@code restart} and
 * {@code echo} have {@code connection}, {@code bytes} (received so far) and, where it lasts, {@code seconds}. Others:
 * {@code never_accept} ({@code backlog}), {@code crc32c_differs} ({@code connection}, {@code bytes}, {@code crc32c},
 * {@code expected}) and {@code deadline} ({@code seconds}). Without {@code --json} a fault is a line on standard error.
 * Lines are shown before a pause, and otherwise within 20 ms.
 *
 * <p>Exit status: 0 all connections asked for were served, with whatever faults; 1 one of them differs from
 * {@code --expect-crc32c}, or an I/O error, also of standard output; 2 usage; 3 the deadline passed.
 * Limits: only {@code --deadline} bounds the wait for a peer that neither sends nor closes; the socket file has mode
 * 666 for a moment before it has {@code --mode}: where that matters, put it into a directory of mode 700.
 */
@Command(name = "faulty-receiver", version = "faulty-receiver 1.0", mixinStandardHelpOptions = true,
        sortOptions = false, description = "Listens on a unix-domain socket, reads slowly, and fails as asked.")
class FaultyReceiver implements Callable<Integer> {
    private static final long NEVER = Long.MAX_VALUE / 2;
    private static final Duration FOREVER = Duration.ofNanos(NEVER);
    private static final Path STANDARD_OUTPUT = Path.of("-");

    @Option(names = {"-s", "--socket"}, paramLabel = "PATH", defaultValue = "slow_receiver.sock",
            description = "Socket to listen on (default: ${DEFAULT-VALUE}).") Path socket;
    @Option(names = {"-r", "--read-size"}, paramLabel = "SIZE", defaultValue = "20k",
            description = "Most bytes for one read (default: ${DEFAULT-VALUE}).") long readSize;
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
            description = "Choose the sequence of --jitter (default: ${DEFAULT-VALUE}).") int seed;
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
    @Option(names = "--deadline", paramLabel = "DURATION", description = "Exit with status 3 when not done after so"
            + " long (default: never).") Duration deadline = FOREVER;
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
                .registerConverter(int.class, FaultyReceiver::number)
                .setParameterExceptionHandler((e, all) -> receiver.failed(2, e.getMessage() // not in Java's words
                        .replaceAll("cannot convert ('.*') to .*", "$1 is outside the locale; set LC_ALL=C.UTF-8")
                        + " (see --help)"))
                .setExecutionExceptionHandler((e, command, parsed) -> receiver.failed(e)).execute(args);
        boolean isHelpLost = System.out.checkError();
        System.exit(isHelpLost ? receiver.failed(1, "standard output: cannot be written to") : status);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkOptions();
        checkFaults();
        checkPaths();
        FileDescriptor descriptor = STANDARD_OUTPUT.equals(output) ? FileDescriptor.err : FileDescriptor.out;
        text = new PrintStream(new BufferedOutputStream(new FileOutputStream(descriptor), 1 << 16));
        Runtime.getRuntime().addShutdownHook(new Thread(this::tidyUp));
        listen();
        CompletableFuture.delayedExecutor(deadline.toNanos(), TimeUnit.NANOSECONDS).execute(this::passDeadline);
        if (neverAccept) {
            tell(null, "never_accept", join("backlog", backlog));
            new CountDownLatch(1).await();
        }
        serveAll();
        flush();
        return differing.get() == 0 ? 0 : failed(1, socket + ": " + differing + " of " + connections
                + " connections differ from --expect-crc32c " + expectCrc32c);
    }

    private void checkOptions() {
        check(backlog >= 1, "--backlog must be at least 1");
        check(parallel >= 1, "--parallel must be at least 1");
        check(readSize >= 1 && readSize <= 2047 << 20,
                "Invalid value for option '--read-size': '" + readSize + "' is not between 1 and 2047m");
        check(parallel <= Runtime.getRuntime().maxMemory() / readSize,
                "--parallel, --read-size: not enough memory for " + parallel + " connections at once with buffers of "
                        + readSize + " bytes");
        check(parallel == 1 || output == null, "--parallel does not go with --output, which would mix the connections");
        check(mode.matches("0?[0-7]{3}"),
                "Invalid value for option '--mode': '" + mode + "' is not a mode such as 600 or 660");
        check(expectCrc32c == null || expectCrc32c.matches("[0-9a-fA-F]{8}"), "Invalid value for option"
                + " '--expect-crc32c': '" + expectCrc32c + "' is not 8 hexadecimal digits such as dc3e0071");
        check(!socket.toString().isEmpty(), "--socket must not be empty");
        check(output == null || !output.toString().isEmpty(), "--output must not be empty");
        check(!deadline.isZero(), "--deadline must be longer than 0s");
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            boolean fits = option.longestName().matches("--(socket|mode|json|never-accept|backlog|deadline)");
            check(!neverAccept || fits, option.longestName() + " does not go with --never-accept");
        }
    }

    /** Some need another option, and after the one that ends a connection there is none. */
    private void checkFaults() {
        ParseResult given = spec.commandLine().getParseResult();
        check(!given.hasMatchedOption("--seed") || given.hasMatchedOption("--jitter"), "--seed needs --jitter");
        check(!given.hasMatchedOption("--down") || restartAfter != NEVER, "--down needs --restart-after");
        check(restartAfter == NEVER || connections != 1,
                "--restart-after needs --connections of 2 or more, or 0, to come back for");
        check(stallEvery >= 1, "--stall-every must be at least 1");
        check(!stallPeriod.isZero(), "--stall-period must be longer than 0s");
        boolean resumes = resumeAfter != FOREVER;
        long stalls = LongStream.of(stallAfter, stallEvery, stallPeriod.toNanos()).filter(at -> at != NEVER).count();
        check(stalls <= 1, "--stall-after, --stall-every and --stall-period exclude each other");
        check(!resumes || stalls == 1, "--resume-after needs --stall-after, --stall-every or --stall-period");
        check(resumes || stalls == 0 || stallAfter != NEVER, "--stall-every and --stall-period need --resume-after");
        long[] ends = LongStream.of(resumes ? NEVER : stallAfter, closeAfter, shutdownInputAfter, restartAfter)
                .filter(end -> end != NEVER).toArray();
        check(ends.length <= 1, "one fault can end a connection: --stall-after without --resume-after, --close-after,"
                + " --shutdown-input-after or --restart-after");
        long stall = Math.min(stallAfter, stallEvery);
        check(ends.length == 0 || stall == NEVER || stall <= ends[0], (stallEvery == NEVER ? "--stall-after"
                : "--stall-every") + " is never reached, as the connection ends before");
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
        if (output != null && !output.equals(STANDARD_OUTPUT)) {
            require(!Files.isDirectory(output), output, "is a directory");
            boolean isWritable = Files.exists(output) ? Files.isWritable(output) : isInADirectory(output);
            require(isWritable, output, "cannot be written to");
        }
    }

    /** Not by the absolute path: the JDK cannot spell a working directory whose name is outside the locale. */
    private static boolean isInADirectory(Path path) throws FileSystemException {
        require(path.isAbsolute() || Files.isDirectory(Path.of("")), path,
                "the working directory's name is outside the locale; set LC_ALL=C.UTF-8");
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
        listening.socket().setReuseAddress(false); // would rename away what is there
        listening.setDeleteOnClose(false); // would delete by path, whosoever file is there by then
        listening.bind(AFUNIXSocketAddress.of(socket), backlog);
        ownFile = attribute("fileKey");
        Files.setAttribute(socket, "unix:mode", Integer.parseInt(mode, 8));
        server = listening;
        if (json) {
            String name = socket.toString().chars().mapToObj(c -> c < ' ' || c > '~' || c == '"' || c == '\\'
                    ? String.format("\\u%04x", c) : Character.toString(c)).collect(Collectors.joining());
            tell(null, "listening", join("socket", name, "pid", ProcessHandle.current().pid()));
            flush();
        } else {
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
            require(restarted.get(), socket, "somebody removed it, so nobody can connect");
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
        if (json) {
            tell(null, "deadline", join("seconds", seconds(deadline.toNanos())));
        }
        flush();
        System.exit(failed(3, socket + ": not done " + seconds(deadline.toNanos())
                + " s after listening (--deadline)"));
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
                tell("connection closed", "closed", join("connection", number, "bytes", bytes, "reads", reads,
                        "seconds", seconds(System.nanoTime() - accepted), "crc32c", crc,
                        "end", cut.getCount() == 0 ? "restart" : end));
                if (expectCrc32c != null && !expectCrc32c.equalsIgnoreCase(crc)) {
                    differing.incrementAndGet();
                    strike("crc32c_differs", "crc32c", crc, "expected", expectCrc32c.toLowerCase(Locale.ROOT));
                }
            } catch (IOException | InterruptedException | OutOfMemoryError e) {
                flush();
                System.exit(failed(e));
            }
            sessions.remove(this);
        }

        /** The slow consumer, with each fault where it is due; tells what has ended the connection. */
        private String receive(ByteBuffer buffer) throws IOException, InterruptedException {
            AFUNIXSocketCredentials peer = channel.getPeerCredentials();
            tell("connected", "connected",
                    join("connection", number, "peer_pid", peer.getPid(), "peer_uid", peer.getUid()));
            keep(buffer.limit(0));
            pause("first_read_delay", firstReadDelay.toNanos());
            while (true) {
                if (isStallDue()) {
                    strike("stall", "seconds", seconds(resumeAfter.toNanos()));
                    pause(null, resumeAfter.toNanos());
                    strike("resume");
                    nextStall = ((System.nanoTime() - accepted) / stallPeriod.toNanos() + 1) * stallPeriod.toNanos();
                }
                String end = lastFault();
                int n = end == null ? channel.read(buffer.clear().limit(untilNextFault())) : -1;
                if (n < 0) {
                    return end == null ? "eof" : end;
                }
                reads++;
                bytes += n;
                tell("received " + n + " bytes...", "received", join("connection", number, "bytes", n, "total", bytes));
                crc32c.update(buffer.flip());
                keep(buffer.rewind());
                if (echo) {
                    strike("echo");
                }
                for (buffer.rewind(); echo && buffer.hasRemaining();) {
                    channel.write(buffer);
                }
                pause(null, interval.toNanos());
                pause("jitter", (long) (random.nextDouble() * jitter.toNanos()));
            }
        }

        private boolean isStallDue() {
            return bytes == stallAfter && resumeAfter != FOREVER || bytes > 0 && bytes % stallEvery == 0
                    || System.nanoTime() - accepted >= nextStall;
        }

        /** Most bytes that the next read may take, so as not to go past a fault. */
        private int untilNextFault() {
            long most = Math.min(readSize, stallEvery - bytes % stallEvery);
            for (long size : new long[] {stallAfter, closeAfter, shutdownInputAfter, restartAfter}) {
                most = size > bytes ? Math.min(most, size - bytes) : most;
            }
            return (int) most;
        }

        /** Lets strike what ends the connection, if it is due: tells its end, or null. */
        private String lastFault() throws IOException {
            if (bytes == closeAfter) {
                channel.close();
                strike("close");
                return "close";
            } else if (bytes == restartAfter && restarted.compareAndSet(false, true)) {
                goDown();
                strike("restart", "seconds", seconds(down.toNanos()));
                return "restart";
            } else if (bytes == shutdownInputAfter) {
                channel.shutdownInput();
                strike("shutdown_input");
                return awaitHangup();
            } else if (bytes == stallAfter && resumeAfter == FOREVER) {
                strike("stall");
                return awaitHangup();
            }
            return null;
        }

        /** Reads no more, and waits until the peer has closed: poll tells that even where it is asked for nothing. */
        private String awaitHangup() throws IOException {
            channel.configureBlocking(false);
            try (Selector selector = channel.provider().openSelector()) {
                channel.register(selector, 0);
                return selector.select() > 0 ? "hangup" : awaitHangup();
            } catch (SocketException e) {
                return awaitHangup(); // an interrupted poll
            }
        }

        /** Writes to --output, which the first connection opens. */
        private void keep(ByteBuffer buffer) throws FileSystemException {
            boolean isFile = !STANDARD_OUTPUT.equals(output);
            try {
                if (output != null && file == null) {
                    file = isFile ? new FileOutputStream(output.toFile()) : new FileOutputStream(FileDescriptor.out);
                }
                while (file != null && buffer.hasRemaining()) {
                    file.getChannel().write(buffer);
                }
            } catch (IOException e) {
                String problem = file == null ? "cannot be written to" : e.getMessage();
                throw new FileSystemException(isFile ? output.toString() : "standard output", null, problem);
            }
        }

        private void pause(String fault, long nanos) throws InterruptedException {
            if (nanos > 0) {
                if (fault != null) {
                    strike(fault, "seconds", seconds(nanos));
                }
                flush();
                cut.await(nanos, TimeUnit.NANOSECONDS);
            }
        }

        private void strike(String fault, Object... details) {
            tell(null, fault, join("connection", number, "bytes", bytes) + join(details));
        }

        /** Ends the connection from another thread: what it waits for, a read, a write or a pause, returns at once. */
        void cut() throws IOException {
            cut.countDown();
            channel.close();
        }
    }

    /** Tells an event: with --json as an object, else by its text, or as a fault on standard error. */
    private void tell(String plain, String event, String fields) {
        if (!json && plain == null) {
            flush();
            say(event.replace('_', '-') + ": "
                    + fields.substring(1).replace("\"", "").replace(":", " ").replace(",", ", "));
            return;
        }
        Instant now = Instant.now();
        BigDecimal time = seconds(now.getEpochSecond() * 1_000_000_000 + now.getNano());
        text.println(json ? "{\"time\":" + time + ",\"event\":\"" + event + '"' + fields + '}' : plain);
        if (!unflushed.getAndSet(true)) { // a system call a line would slow the reads
            CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS, Runnable::run).execute(this::flush);
        }
    }

    /** One thread at a time, so that its failure is told once. */
    private synchronized void flush() {
        unflushed.set(false);
        if (text.checkError()) {
            String stream = STANDARD_OUTPUT.equals(output) ? "standard error" : "standard output";
            System.exit(failed(1, stream + ": cannot be written to"));
        }
    }

    /** The members of a JSON object, from a name, its value, a name, its value ..., each after a comma. */
    private static String join(Object... fields) {
        StringBuilder members = new StringBuilder();
        for (int i = 0; i < fields.length; i += 2) {
            Object value = fields[i + 1] instanceof String string ? '"' + string + '"' : fields[i + 1];
            members.append(",\"").append(fields[i]).append("\":").append(value);
        }
        return members.toString();
    }

    private int failed(Throwable e) {
        return failed(1, e instanceof FileSystemException ? e.getMessage() : socket + ": " + e.getMessage());
    }

    private int failed(int status, String problem) {
        say(problem);
        return status;
    }

    private void say(String line) {
        System.err.println(spec.name() + ": " + line.replace("\n", "\\n"));
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

    private static int number(String text) {
        if (!text.matches("\\d{1,9}")) {
            throw new TypeConversionException("'" + text + "' is not a whole number from 0 to 999999999");
        }
        return Integer.parseInt(text);
    }

    /** Nanoseconds as seconds, to the microsecond. */
    private static BigDecimal seconds(long nanos) {
        return BigDecimal.valueOf(nanos / 1_000, 6);
    }
}
