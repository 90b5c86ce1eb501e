///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Run the three senders, and any other program, against the slow receiver and compare them
//JAVA 17+
//MAIN Compare
//DEPS info.picocli:picocli:4.7.7
//DEPS com.google.code.gson:gson:2.13.2
//DEPS com.github.freva:ascii-table:1.8.0
//DEPS me.tongfei:progressbar:0.10.1
//SOURCES slow-receiver.java
//SOURCES blocking-sender.java
//SOURCES nonblocking-sender.java
//SOURCES poll-sender.java
//SOURCES predict.java
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonIOException;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonWriter;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
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
 * Runs the senders, one after another, each against a slow receiver of its own, and shows side by side what they did:
 * times, writes, CPU, missed heartbeats, and whether the data arrived. Any other program can be a sender too
 * ({@code --command}). On Linux, what the kernel model predicts stands below what was measured.
 *
 * <p>Receiver and sender are processes of their own in a private directory, and the figures are made from what these
 * two report ({@code --json}). CPU of the sending thread is the sender's own figure; that of the whole process, JVM
 * start-up included, is what the operating system counts for it and for the children that it waited for.
 * Usage: {@code jbang compare.java}, {@code jbang compare.java --interval 1s --export-json runs.json}. It needs its
 * siblings: the senders, the slow receiver and predict.
 *
 * <p>Limits: a command's times begin when it connects, and its writes and heartbeats are not seen. If compare itself is
 * killed by SIGKILL, its children run on and its directory stays.
 */
@Command(name = "compare", version = "compare 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Runs the three senders, and any other program, against the slow receiver and compares them.")
class Compare implements Callable<Integer>, IParameterExceptionHandler {
    @Option(names = "--sender", paramLabel = "NAME", converter = StrategyConverter.class,
            description = "blocking, nonblocking or poll; may be repeated (default: all three).")
    Set<Predict.Strategy> strategies = new LinkedHashSet<>();
    @Option(names = "--command", paramLabel = "NAME=COMMAND", converter = CommandConverter.class,
            description = "Also compare a shell command that connects, sends and closes; may be repeated. {socket}"
                    + " becomes the path of the socket, slow_receiver.sock in the command's working directory.")
    List<Sender> commands = new ArrayList<>();
    @Option(names = "--runs", paramLabel = "N", defaultValue = "1",
            description = "Runs of each sender; the table shows medians (default: ${DEFAULT-VALUE}).")
    int runs;
    @Option(names = {"-n", "--size"}, paramLabel = "SIZE", converter = Predict.SizeConverter.class,
            description = "Bytes that each sender generates and sends (default: 1m).")
    Long size;
    @Option(names = {"-i", "--input"}, paramLabel = "FILE",
            description = "Send FILE instead; a command has to send it too, and what arrives of it is checked.")
    Path input;
    @Option(names = "--chunk", paramLabel = "SIZE", defaultValue = "1m", converter = Predict.BufferSizeConverter.class,
            description = "The sender's buffer, and the most bytes offered to one write (default: ${DEFAULT-VALUE}).")
    long chunk;
    @Option(names = "--sndbuf", paramLabel = "SIZE", converter = Predict.BufferSizeConverter.class,
            description = "SO_SNDBUF to request; Linux doubles it (default: the system's).")
    Long sndbuf;
    @Option(names = "--connect-timeout", paramLabel = "DURATION", defaultValue = "0s",
            converter = Predict.DurationConverter.class,
            description = "How long a sender keeps trying while no receiver listens (default: ${DEFAULT-VALUE}).")
    long connectTimeout;
    @Option(names = "--heartbeat", paramLabel = "DURATION", defaultValue = "10ms",
            converter = Predict.DurationConverter.class,
            description = "Period of the heartbeat, other work of the sending thread; 0s: none"
                    + " (default: ${DEFAULT-VALUE}).")
    long heartbeat;
    @Option(names = "--give-up", paramLabel = "DURATION", converter = Predict.PeriodConverter.class,
            description = "A sender fails when nothing could be written for so long (default: never).")
    Long giveUp;
    @Option(names = "--timeout", paramLabel = "DURATION", defaultValue = "3s",
            converter = Predict.PeriodConverter.class,
            description = "Longest single wait of the poll sender (default: ${DEFAULT-VALUE}).")
    long timeout;
    @Option(names = {"-r", "--read-size"}, paramLabel = "SIZE", defaultValue = "20k",
            converter = Predict.BufferSizeConverter.class,
            description = "Most bytes taken by one read of the receiver (default: ${DEFAULT-VALUE}).")
    long readSize;
    @Option(names = {"-t", "--interval"}, paramLabel = "DURATION", defaultValue = "100ms",
            converter = Predict.DurationConverter.class,
            description = "The receiver's pause after each read; 0s: none (default: ${DEFAULT-VALUE}).")
    long interval;
    @Option(names = "--deadline", paramLabel = "DURATION", converter = Predict.PeriodConverter.class,
            description = "Stop a run that takes longer (default: ten times what is expected, at least 30s).")
    Long deadline;
    @Option(names = "--export-json", paramLabel = "FILE",
            description = "Write settings, figures and events to FILE; -: to standard output, and the table to standard"
                    + " error.")
    String exportJson;
    @Option(names = "--export-csv", paramLabel = "FILE", description = "Write the figures of each run to FILE, or -.")
    String exportCsv;
    @Option(names = "--export-markdown", paramLabel = "FILE", description = "Write the table to FILE, or -.")
    String exportMarkdown;
    @Spec
    CommandSpec spec;

    /** How often a run under way is looked at, in nanoseconds. */
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(20);
    /** Bytes per second that any machine moves without pauses, for the default of {@code --deadline}. */
    private static final double LEAST_THROUGHPUT = 100e6;
    /** Longest deadline in seconds, about thirty years: it can be counted in nanoseconds. */
    private static final double MOST_SECONDS = 1e9;
    /** Two clock ticks: user and system time are counted in steps of 0.01 s, and each may be just below the next. */
    private static final BigDecimal CPU_RESOLUTION = new BigDecimal("0.02");
    /** Where more reads and writes than these are predicted, the writes are compared by their number alone. */
    private static final int MOST_PREDICTED_EVENTS = 1_000_000;
    private static final long OWN_PID = ProcessHandle.current().pid();
    private static final Path SETSID = Path.of("/usr/bin/setsid");
    private static final Gson GSON = new GsonBuilder().serializeNulls().setPrettyPrinting()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();

    private final List<Run> finished = new ArrayList<>();
    private final List<Process> children = new ArrayList<>();
    private final Map<Predict.Strategy, Prediction> predictions = new EnumMap<>(Predict.Strategy.class);
    private List<Sender> senders;
    private long total;
    private Predict.Machine linux;
    private String inputCrc32c;
    private PrintStream text;
    private int textColumns;
    private int progressColumns;
    private ProgressBar bar;
    private Path base;
    private Path unfinishedExport;
    private boolean reported;
    private boolean ending;

    public static void main(String... args) {
        Compare compare = new Compare();
        System.exit(new CommandLine(compare).setParameterExceptionHandler(compare).execute(args));
    }

    @Override
    public Integer call() throws InterruptedException {
        checkOptions();
        try {
            checkFiles();
            lookAtTerminal();
            predict();
            announce();
            Runtime.getRuntime().addShutdownHook(new Thread(this::cleanUp));
            inputCrc32c = input == null || commands.isEmpty() ? null : crc32c(input);
            for (int number = 1; number <= runs; number++) {
                for (Sender sender : senders) {
                    add(measure(sender, number));
                }
            }
            report();
            export(exportJson, this::writeJson);
            export(exportCsv, this::writeCsv);
            export(exportMarkdown, this::writeMarkdown);
            return finished.stream().allMatch(Run::isGood) ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } catch (NoSuchFileException e) {
            return failed(e.getFile() + ": no such file or directory");
        } catch (AccessDeniedException e) {
            return failed(e.getFile() + ": permission denied");
        } catch (IOException e) {
            return failed(e.getMessage());
        }
    }

    private void checkOptions() {
        check(runs >= 1, "--runs must be at least 1");
        check(size == null || input == null, "--size does not go with --input");
        check(input == null || !input.toString().equals("-"),
                "--input must be a file: standard input can be sent only once");
        senders = Stream.concat(Arrays.stream(Predict.Strategy.values())
                .filter(strategy -> strategies.isEmpty() || strategies.contains(strategy))
                .map(strategy -> new Sender(strategy + "-sender", strategy, null)), commands.stream()).toList();
        Set<String> names = new HashSet<>();
        senders.forEach(sender -> check(names.add(sender.name), "--command: the name " + sender.name + " is taken"));
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

    private int failed(String message) throws InterruptedException {
        proceed();
        System.err.println(spec.name() + ": " + message);
        return CommandLine.ExitCode.SOFTWARE;
    }

    private void checkFiles() throws IOException {
        total = size == null ? 1 << 20 : size;
        if (input != null) {
            if (!Files.isRegularFile(input)) {
                throw problem(input.toString(), Files.exists(input)
                        ? "is not a regular file, which can be sent again and again" : "no such file");
            }
            if (!Files.isReadable(input)) {
                throw problem(input.toString(), "cannot be read");
            }
            total = Files.size(input);
        }
        Set<Path> targets = new HashSet<>();
        for (String export : exports()) {
            check(targets.add(export.equals("-") ? null : target(export)), "two exports go to " + export);
        }
    }

    private List<String> exports() {
        return Stream.of(exportJson, exportCsv, exportMarkdown).filter(Objects::nonNull).toList();
    }

    /** The file that an export replaces; where that is a symbolic link, the file that it leads to. */
    private Path target(String export) throws IOException {
        Path path = Path.of(export).toAbsolutePath().normalize();
        boolean exists = Files.exists(path);
        Path target = exists ? path.toRealPath() : path;
        Path directory = target.getParent();
        String problem = Files.isDirectory(target) ? "is a directory"
                : exists && !Files.isRegularFile(target) ? "is not a regular file; - writes to standard output"
                : exists && input != null && Files.isSameFile(target, input) ? "is the file to send"
                : !Files.isDirectory(directory) ? "its directory does not exist"
                : !Files.isWritable(directory) || exists && !Files.isWritable(target) ? "cannot be written to" : null;
        if (problem != null) {
            throw problem(export, problem);
        }
        return target;
    }

    private static FileSystemException problem(String file, String what) {
        return new FileSystemException(file, null, what);
    }

    private static String crc32c(Path file) throws IOException {
        try (CheckedInputStream in = new CheckedInputStream(Files.newInputStream(file), new CRC32C())) {
            in.transferTo(OutputStream.nullOutputStream());
            return Long.toHexString(1L << 32 | in.getChecksum().getValue()).substring(1);
        }
    }

    private void lookAtTerminal() throws IOException, InterruptedException {
        String noColor = System.getenv("NO_COLOR");
        int errColumns = columns(System.err);
        progressColumns = noColor == null || noColor.isEmpty() ? errColumns : 0;
        text = exports().contains("-") ? System.err : System.out;
        textColumns = text == System.err ? errColumns : columns(System.out);
    }

    /** Columns of the terminal that the stream goes to; 0 when it is none. */
    private static int columns(PrintStream stream) throws IOException, InterruptedException {
        ProcessBuilder stty = stream == System.err
                ? new ProcessBuilder("sh", "-c", "stty size <&2 2>/dev/null").redirectError(Redirect.INHERIT)
                : new ProcessBuilder("sh", "-c", "stty size <&1 >&2 2>/dev/null").redirectOutput(Redirect.INHERIT);
        Process process = stty.start();
        try (InputStream in = stream == System.err ? process.getInputStream() : process.getErrorStream()) {
            String size = new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
            return process.waitFor() != 0 ? 0 : size.endsWith(" 0") ? 80 : Integer.parseInt(size.split(" ")[1]);
        }
    }

    /** Asks the kernel model, where it applies: on Linux, and where the receiver's pauses make the times. */
    private void predict() {
        try {
            linux = Predict.Machine.local();
            Predict.Settings settings = new Predict.Settings(total, chunk, sndbuf, readSize, interval, null, timeout,
                    giveUp, linux);
            for (Sender sender : senders) {
                if (sender.strategy != null && interval > 0) {
                    predictions.put(sender.strategy, new Prediction(settings, sender.strategy));
                }
            }
        } catch (FileSystemException | Predict.UnpredictableException e) {
            predictions.clear();
        }
    }

    private void announce() {
        String names = senders.stream().map(Sender::name).collect(Collectors.joining(", "));
        double each = expectedSeconds();
        System.err.println(wrap(names + (senders.size() > 1 ? ", one after another" : "")
                + (runs > 1 ? ", " + runs + " times" : "") + ": " + size(total) + " to a receiver that takes at most "
                + size(readSize) + (interval == 0 ? " at a time without a pause; as fast as it goes, at most "
                + fixed(deadlineSeconds(), 1) + " s a run." : " every " + seconds(interval) + " s; by these settings "
                + fixed(each, 1) + " s a run, " + fixed(each * runs * senders.size(), 1) + " s in all.")));
    }

    private double expectedSeconds() {
        double reads = Math.ceil((double) total / readSize);
        return predictions.values().stream().mapToDouble(prediction -> prediction.run.closed()).max()
                .orElse(reads * interval) / 1e9;
    }

    private double deadlineSeconds() {
        double expected = Math.max(expectedSeconds(), total / LEAST_THROUGHPUT);
        return Math.min(MOST_SECONDS, deadline != null ? deadline / 1e9 : Math.max(30, 10 * expected));
    }

    // A run

    private Run measure(Sender sender, int number) throws IOException, InterruptedException {
        Path dir = makeDirectory();
        try (Run run = new Run(sender, number, total, dir, predictions.get(sender.strategy))) {
            long end = System.nanoTime() + (long) (deadlineSeconds() * 1e9);
            startBar(sender);
            try {
                Process receiver = start(dir, "receiver", jvm("SlowReceiver", "--json", "--connections=1",
                        "--read-size=" + readSize, "--interval=" + duration(interval)));
                while (!run.follow().listening && !hasEnded(receiver, end)) {
                    show(run);
                }
                if (run.listening) {
                    Process process = start(dir, "sender", command(sender, dir));
                    while (!hasEnded(process, end)) {
                        show(run);
                    }
                    run.senderEnded(process.exitValue());
                    if (process.exitValue() != 0) {
                        knock(dir);
                    }
                    while (!hasEnded(receiver, end)) {
                        show(run);
                    }
                }
                if (!receiver.isAlive() && receiver.exitValue() != 0) {
                    run.error = failure(dir.resolve("receiver.err"), receiver.exitValue());
                }
            } catch (TimeoutException e) {
                run.abort(deadlineSeconds());
            } finally {
                stopBar();
                stopChildren();
            }
            run.finish(inputCrc32c, heartbeat > 0);
            return run;
        }
    }

    private synchronized Path makeDirectory() throws IOException, InterruptedException {
        proceed();
        if (base == null) {
            base = Files.createTempDirectory("compare-");
        }
        return Files.createDirectory(base.resolve(String.valueOf(finished.size() + 1)));
    }

    /** Waits a moment for the process to end; true when it has. */
    private boolean hasEnded(Process process, long end) throws InterruptedException, TimeoutException {
        long left = end - System.nanoTime();
        if (left <= 0) {
            throw new TimeoutException();
        }
        boolean ended = process.waitFor(Math.min(TICK, left), TimeUnit.NANOSECONDS);
        proceed();
        return ended;
    }

    /** Connects, which ends a receiver to which a sender that failed has not connected; else nobody will notice. */
    private static void knock(Path dir) {
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(dir.resolve("slow_receiver.sock"))).close();
        } catch (IOException e) {
            return; // the receiver has ended
        }
    }

    /** The sender, in a shell that waits for it and notes the CPU time of it and of the children that it waited for. */
    private List<String> command(Sender sender, Path dir) {
        List<String> command = new ArrayList<>(List.of("sh", "-c",
                "\"$@\"; status=$?; times >times; exit $status", "sh"));
        if (sender.strategy == null) {
            String socket = dir.resolve("slow_receiver.sock").toString();
            command.addAll(List.of("sh", "-c", sender.command.replace("{socket}", socket)));
            return command;
        }
        List<String> options = new ArrayList<>(List.of("--json", "--chunk=" + chunk,
                "--connect-timeout=" + duration(connectTimeout),
                input == null ? "--size=" + total : "--input=" + input.toAbsolutePath()));
        if (sndbuf != null) {
            options.add("--sndbuf=" + sndbuf);
        }
        if (heartbeat > 0) {
            options.add("--heartbeat=" + duration(heartbeat));
        }
        if (giveUp != null) {
            options.add("--give-up=" + duration(giveUp));
        }
        if (sender.strategy == Predict.Strategy.POLL) {
            options.add("--timeout=" + duration(timeout));
        }
        String name = sender.strategy.toString();
        command.addAll(jvm(name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1) + "Sender",
                options.toArray(String[]::new)));
        return command;
    }

    /** A JVM for a sibling, which is on our class path; what it unpacks goes to our directory and vanishes with it. */
    private List<String> jvm(String mainClass, String... options) {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmn4m",
                "-Djava.io.tmpdir=" + base, "-cp", classPath, mainClass));
        command.addAll(List.of(options));
        return command;
    }

    /** Starts a child, if possible in a session of its own: Ctrl-C is for us alone, and its group can be ended. */
    private synchronized Process start(Path dir, String name, List<String> command)
            throws IOException, InterruptedException {
        proceed();
        List<String> all = new ArrayList<>(Files.isExecutable(SETSID) ? List.of(SETSID.toString()) : List.of());
        all.addAll(command);
        Process process = new ProcessBuilder(all).directory(dir.toFile()).redirectInput(new File("/dev/null"))
                .redirectOutput(dir.resolve(name + ".out").toFile())
                .redirectError(dir.resolve(name + ".err").toFile()).start();
        children.add(process);
        return process;
    }

    /** Asks the children, and what they have started, to end; a second later kills what is left. */
    private synchronized void stopChildren() throws IOException, InterruptedException {
        for (Process child : children) {
            child.descendants().forEach(ProcessHandle::destroy);
            child.destroy();
        }
        signalGroups("TERM");
        for (Process child : children) {
            child.waitFor(1, TimeUnit.SECONDS);
            child.descendants().forEach(ProcessHandle::destroyForcibly);
            child.destroyForcibly();
        }
        signalGroups("KILL");
        for (Process child : children) {
            child.waitFor();
        }
        children.clear();
    }

    private void signalGroups(String signal) throws IOException, InterruptedException {
        for (Process child : children) {
            new ProcessBuilder("sh", "-c", "kill -s " + signal + " -- -" + child.pid()).redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD).start().waitFor();
        }
    }

    /** The last line that a failed process said, and its exit status. */
    private static String failure(Path file, int status) throws IOException {
        try (RandomAccessFile errors = new RandomAccessFile(file.toFile(), "r")) {
            byte[] tail = new byte[(int) Math.min(4096, errors.length())];
            errors.seek(errors.length() - tail.length);
            errors.readFully(tail);
            String[] lines = new String(tail, StandardCharsets.UTF_8).strip().split("\\R");
            String line = lines[lines.length - 1].replaceAll("\\p{Cntrl}", " ").strip();
            return line.isEmpty() ? "exit status " + status : line + " (exit status " + status + ")";
        }
    }

    private synchronized void startBar(Sender sender) {
        if (progressColumns > 0) {
            bar = new ProgressBarBuilder().setTaskName(sender.name).setInitialMax(total)
                    .setUnit(List.of(" B", " KiB", " MiB").get(progressUnit()), 1L << 10 * progressUnit())
                    .setStyle(ProgressBarStyle.ASCII).hideEta().setUpdateIntervalMillis(100).continuousUpdate()
                    .clearDisplayOnFinish().setConsumer(new DelegatingProgressBarConsumer(
                            line -> System.err.print('\r' + line), Math.min(progressColumns, 100) - 1)).build();
        }
    }

    /** The power of 1024 in which the progress is shown. */
    private int progressUnit() {
        return total >= 1 << 30 ? 2 : total >= 1 << 16 ? 1 : 0;
    }

    private synchronized void show(Run run) throws IOException {
        if (bar != null) {
            run.follow();
            bar.stepTo(run.delivered);
            long accepted = run.bytes >> 10 * progressUnit();
            long queued = run.bytes - run.delivered >> 10 * progressUnit();
            bar.setExtraMessage(run.strategy == null ? ""
                    : queued < 0 ? "in a write" // only when it returns is it known what the kernel accepted
                    : accepted + " accepted, " + queued + " queued");
        }
    }

    private synchronized void stopBar() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }

    // The end

    private synchronized void add(Run run) throws InterruptedException {
        proceed();
        finished.add(run);
    }

    /** Keeps the main thread from going on once the end has begun: what it would see then is no result. */
    private synchronized void proceed() throws InterruptedException {
        while (ending) {
            wait();
        }
    }

    /** Runs at every end, also by a signal: leaves no process and no file, and prints the runs that are complete. */
    private synchronized void cleanUp() {
        ending = true;
        try {
            stopBar();
            stopChildren();
            report();
            if (unfinishedExport != null) {
                Files.deleteIfExists(unfinishedExport);
            }
            if (base != null) {
                try (Stream<Path> files = Files.walk(base)) {
                    for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                        Files.deleteIfExists(file);
                    }
                }
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println(spec.name() + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // The table

    private synchronized void report() {
        if (!reported && !finished.isEmpty()) {
            List<Summary> summaries = summaries();
            text.println(table(summaries, rows(summaries)));
            finished.stream().filter(run -> !run.isGood()).map(run -> name(run) + ": " + run.problem())
                    .forEach(text::println);
            sentences(summaries).forEach(sentence -> text.print(wrap(sentence)));
        }
        reported = true;
    }

    private List<Summary> summaries() {
        return senders.stream().map(sender -> new Summary(sender, predictions.get(sender.strategy),
                finished.stream().filter(run -> run.sender.equals(sender.name)).toList()))
                .filter(summary -> !summary.runs.isEmpty()).toList();
    }

    /** One row for each figure, as the senders are few: this fits 80 columns. */
    private List<Row> rows(List<Summary> summaries) {
        BigDecimal leastCpu = summaries.stream().map(Summary::cpu).filter(Objects::nonNull)
                .min(Comparator.naturalOrder()).orElse(null);
        boolean simple = runs == 1 && finished.stream().allMatch(run -> run.error == null);
        return Stream.of(
                new Row("complete runs", s -> simple ? "" : s.complete().size() + "/" + s.runs.size()),
                row("accepted, s", 3, run -> run.acceptedSeconds),
                predicted(Predict.Run::acceptedTime),
                row("delivered, s", 3, run -> run.deliveredSeconds),
                predicted(Predict.Run::deliveredTime),
                row("longest stall, s", 3, run -> run.longestStall),
                predicted(Predict.Run::longestStall),
                row("writes", 0, run -> run.writes),
                new Row("  predicted", s -> s.prediction == null ? "" : String.valueOf(s.prediction.run.writes())),
                row("would-blocks", 0, run -> run.wouldBlock),
                row("polls", 0, run -> run.polls),
                row("sending thread: user, s", 2, run -> run.user),
                row("  system, s", 2, run -> run.system),
                row("  CPU, %", 0, Run::cpuPercent),
                new Row("  CPU, times the least", s -> relative(s.cpu(), leastCpu)),
                row("process + JVM start: user, s", 2, run -> run.processUser),
                row("  system, s", 2, run -> run.processSystem),
                new Row("heartbeats run/due", s -> s.median(run -> run.beatsDue) == null ? ""
                        : fixed(s.median(run -> run.beatsRun), 0) + "/" + fixed(s.median(run -> run.beatsDue), 0)),
                row("  worst delay, s", 3, run -> run.beatWorst),
                new Row("data intact", Summary::intact)).toList();
    }

    private static Row row(String label, int digits, Function<Run, ? extends Number> figure) {
        return new Row(label, summary -> {
            BigDecimal median = summary.median(figure);
            return median == null ? "" : fixed(median, digits);
        });
    }

    private static Row predicted(Function<Predict.Run, Long> nanos) {
        return new Row("  predicted", summary -> summary.prediction == null ? ""
                : fixed(seconds(nanos.apply(summary.prediction.run)), 3));
    }

    private static String relative(BigDecimal cpu, BigDecimal least) {
        if (cpu == null) {
            return "";
        }
        BigDecimal floor = least.max(CPU_RESOLUTION);
        String times = fixed(cpu.max(floor).divide(floor, 3, RoundingMode.HALF_UP), 1);
        return (least.compareTo(CPU_RESOLUTION) < 0 && cpu.compareTo(floor) > 0 ? ">" : "") + times;
    }

    /** As many senders side by side as fit the width, and the others below. */
    private String table(List<Summary> summaries, List<Row> rows) {
        int width = textColumns == 0 ? 80 : textColumns;
        int n = summaries.size();
        String table = block(summaries, rows);
        while (n > 1 && table.lines().anyMatch(line -> line.length() > width)) {
            table = block(summaries.subList(0, --n), rows);
        }
        return n == summaries.size() ? table : table + "\n" + table(summaries.subList(n, summaries.size()), rows);
    }

    /** The rows that say something of any of these senders. */
    private static List<Row> filled(List<Row> rows, List<Summary> summaries) {
        return rows.stream().filter(row -> row.cells(summaries).skip(1).anyMatch(cell -> !cell.isEmpty())).toList();
    }

    private static String block(List<Summary> summaries, List<Row> rows) {
        Column[] columns = Stream.concat(Stream.of(new Column().dataAlign(HorizontalAlign.LEFT)), summaries.stream()
                .map(summary -> new Column().header(summary.sender.name).headerAlign(HorizontalAlign.RIGHT)))
                .toArray(Column[]::new);
        Object[][] cells = filled(rows, summaries).stream().map(row -> row.cells(summaries).toArray())
                .toArray(Object[][]::new);
        return AsciiTable.builder().border(AsciiTable.NO_BORDERS).lineSeparator("\n").data(columns, cells).asString()
                .replaceAll("(?m)^ | +$", "") + "\n";
    }

    // What the figures say

    private List<String> sentences(List<Summary> summaries) {
        List<String> sentences = new ArrayList<>();
        List<Summary> good = summaries.stream().filter(summary -> summary.runs.stream().allMatch(Run::isGood)).toList();
        if (good.size() > 1 && total > 0) {
            sentences.add(interval > 0 ? delivery(good) : throughput(good));
        }
        List<Summary> threads = good.stream().filter(summary -> summary.cpu() != null).toList();
        if (threads.size() > 1 && total > 0) {
            sentences.add(cost(threads));
        }
        if (heartbeat > 0 && !threads.isEmpty()) {
            sentences.add(heartbeats(threads));
        }
        List<Run> predicted = finished.stream().filter(run -> run.error == null && run.prediction != null).toList();
        if (!predicted.isEmpty()) {
            sentences.add(deviations(predicted));
        }
        if (finished.stream().allMatch(Run::isGood)) {
            String counted = good.stream().filter(summary -> summary.runs.get(0).intact == null)
                    .map(summary -> summary.sender.name).collect(Collectors.joining(", "));
            sentences.add(counted.isEmpty() ? "Every byte arrived intact."
                    : "Every byte arrived; which bytes " + counted + " should have sent is known only with --input.");
        }
        return sentences;
    }

    private String name(Run run) {
        return run.sender + (runs > 1 ? " (run " + run.run + ")" : "");
    }

    private String delivery(List<Summary> summaries) {
        Summary first = least(summaries, Summary::delivered);
        Summary last = least(summaries, summary -> summary.delivered().negate());
        boolean same = last.delivered().subtract(first.delivered()).doubleValue()
                <= Math.max(interval / 1e9, 0.05 * last.delivered().doubleValue());
        return same ? "The receiver sets the pace: whoever sends, all is delivered after " + fixed(last.delivered(), 2)
                + " s." : first.sender.name + " has everything delivered first, after " + fixed(first.delivered(), 2)
                + " s, " + last.sender.name + " last, after " + fixed(last.delivered(), 2) + " s.";
    }

    private String throughput(List<Summary> summaries) {
        Summary fastest = least(summaries, Summary::delivered);
        return "Delivered per second" + (runs == 1 ? "" : ", medians") + ": " + summaries.stream()
                .sorted(Comparator.comparing(Summary::delivered)).map(summary -> summary.sender.name + " "
                        + fixed(total / 1048576.0 / summary.delivered().doubleValue(), 1) + " MiB"
                        + (summary == fastest ? "" : " (" + ratio(fastest.delivered(), summary.delivered()) + ")"))
                .collect(Collectors.joining(", ")) + ".";
    }

    private String cost(List<Summary> threads) {
        Summary first = least(threads, Summary::accepted);
        Summary cheapest = least(threads, Summary::cpu);
        BigDecimal earlier = cheapest.accepted().subtract(first.accepted());
        String sentence = first == cheapest ? first.sender.name + " has everything accepted first, and its thread uses"
                + " the least CPU, " + fixed(first.cpu(), 2) + " s."
                : first.sender.name + " has everything accepted " + fixed(earlier, 2) + " s before "
                + cheapest.sender.name + "; for that its thread uses " + fixed(first.cpu(), 2) + " s of CPU instead of "
                + fixed(cheapest.cpu(), 2) + " s.";
        return cheapest.cpu().compareTo(CPU_RESOLUTION) >= 0 ? sentence : sentence
                + " (The system counts in steps of 0.01 s; less than " + CPU_RESOLUTION + " s is taken as that much.)";
    }

    private String heartbeats(List<Summary> threads) {
        return "Other work in the same thread, due every " + seconds(heartbeat) + " s: " + threads.stream()
                .map(summary -> {
                    BigDecimal missed = summary.median(run -> run.beatsDue - run.beatsRun);
                    return summary.sender.name + " missed " + (missed.signum() == 0 ? "none" : fixed(missed, 0) + " of "
                            + fixed(summary.median(run -> run.beatsDue), 0)) + ", at worst "
                            + fixed(summary.median(run -> run.beatWorst), 3) + " s late";
                }).collect(Collectors.joining("; ")) + ".";
    }

    private String deviations(List<Run> predicted) {
        String writes = predicted.stream().map(run -> run.unpredictedWrite(name(run))).filter(Objects::nonNull)
                .collect(Collectors.joining("; "));
        boolean counted = predicted.stream().anyMatch(run -> run.prediction.writes.size() < run.writes);
        Run worst = predicted.stream().max(Comparator.comparing(run -> run.delay().abs())).orElseThrow();
        return (!writes.isEmpty() ? "Not as the kernel model predicts: " + writes
                : "The kernel model predicts " + (counted ? "how many writes there are" : "every write to the byte"))
                + "; the times differ most for " + name(worst) + ", by " + fixed(worst.delay(), 3) + " s.";
    }

    private static Summary least(List<Summary> summaries, Function<Summary, BigDecimal> figure) {
        return summaries.stream().min(Comparator.comparing(figure)).orElseThrow();
    }

    // The exports

    private interface Export {
        void write(Writer out) throws IOException;
    }

    /** Writes beside the file that is there, and replaces it when all is written. */
    private void export(String file, Export export) throws IOException, InterruptedException {
        if (file == null) {
            return;
        }
        if (file.equals("-")) {
            Writer out = new OutputStreamWriter(System.out, StandardCharsets.UTF_8);
            export.write(out);
            out.flush();
            return;
        }
        Path target = target(file);
        Path beside = besideTarget(target);
        try (Writer out = Files.newBufferedWriter(beside, StandardOpenOption.CREATE_NEW)) {
            export.write(out);
        } catch (JsonIOException e) {
            throw problem(file, e.getCause().getMessage());
        }
        if (Files.exists(target)) {
            Files.setPosixFilePermissions(beside, Files.getPosixFilePermissions(target));
        }
        Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE);
    }

    private synchronized Path besideTarget(Path target) throws InterruptedException {
        proceed();
        unfinishedExport = target.resolveSibling("." + target.getFileName() + "." + OWN_PID);
        return unfinishedExport;
    }

    private void writeJson(Writer out) throws IOException {
        JsonWriter json = GSON.newJsonWriter(out);
        json.beginObject().name("kind").value("measured").name("version").value(1).name("machine");
        GSON.toJson(machine(), Map.class, json);
        json.name("settings");
        GSON.toJson(settings(), Map.class, json);
        json.name("runs").beginArray();
        for (Run run : finished) {
            json.beginObject();
            for (Map.Entry<String, JsonElement> figure : GSON.toJsonTree(run).getAsJsonObject().entrySet()) {
                json.name(figure.getKey());
                GSON.toJson(figure.getValue(), json);
            }
            json.name("events").beginArray();
            run.writeEvents(json);
            json.endArray().endObject();
        }
        json.endArray().endObject();
        json.flush();
        out.write('\n');
    }

    private Map<String, Object> machine() {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("os", System.getProperty("os.name"));
        machine.put("arch", System.getProperty("os.arch"));
        machine.put("kernel", System.getProperty("os.version"));
        machine.put("java", System.getProperty("java.version"));
        machine.put("cpus", Runtime.getRuntime().availableProcessors());
        machine.put("page_size", linux == null ? null : linux.pageSize());
        machine.put("wmem_default", linux == null ? null : linux.wmemDefault());
        return machine;
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("size", total);
        settings.put("input", input == null ? null : input.toString());
        settings.put("chunk", chunk);
        settings.put("sndbuf", sndbuf);
        settings.put("read_size", readSize);
        settings.put("interval", seconds(interval));
        settings.put("heartbeat", heartbeat == 0 ? null : seconds(heartbeat));
        settings.put("timeout", seconds(timeout));
        settings.put("give_up", giveUp == null ? null : seconds(giveUp));
        settings.put("connect_timeout", seconds(connectTimeout));
        settings.put("runs", runs);
        settings.put("deadline", new BigDecimal(fixed(deadlineSeconds(), 3)));
        return settings;
    }

    private void writeCsv(Writer out) throws IOException {
        boolean first = true;
        for (Run run : finished) {
            Map<String, JsonElement> figures = GSON.toJsonTree(run).getAsJsonObject().asMap();
            if (first) {
                out.write(String.join(",", figures.keySet()) + "\n");
            }
            first = false;
            out.write(figures.values().stream().map(value -> value.isJsonNull() ? "" : value.getAsString())
                    .map(value -> value.matches("[^\",]*") ? value : '"' + value.replace("\"", "\"\"") + '"')
                    .collect(Collectors.joining(",")) + "\n");
        }
    }

    private void writeMarkdown(Writer out) throws IOException {
        List<Summary> summaries = summaries();
        List<Row> rows = new ArrayList<>(rows(summaries));
        rows.add(0, new Row("", summary -> summary.sender.name));
        rows.add(new Row("error", summary -> summary.runs.stream().map(run -> run.error).filter(Objects::nonNull)
                .collect(Collectors.joining("; "))));
        for (Row row : filled(rows, summaries)) {
            out.write(row.cells(summaries).map(cell -> cell.strip().replace("|", "\\|"))
                    .collect(Collectors.joining(" | ", "| ", " |\n")));
            out.write(row == rows.get(0) ? "|:---|" + "---:|".repeat(summaries.size()) + "\n" : "");
        }
    }

    // Formats

    private static String wrap(String sentence) {
        return sentence.replaceAll("(.{1,79})(?: +|$)", "$1\n");
    }

    private static String size(long bytes) {
        int unit = bytes == 0 ? 0 : Math.min(3, Long.numberOfTrailingZeros(bytes) / 10);
        return (bytes >> 10 * unit) + List.of(" bytes", " KiB", " MiB", " GiB").get(unit);
    }

    private static String fixed(Number value, int digits) {
        return new BigDecimal(value.toString()).setScale(digits, RoundingMode.HALF_UP).toPlainString();
    }

    /** Nanoseconds as seconds. */
    private static BigDecimal seconds(long nanos) {
        return new BigDecimal(BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString());
    }

    /** Nanoseconds as an argument. */
    private static String duration(long nanos) {
        return seconds(nanos) + "s";
    }

    private static String ratio(BigDecimal a, BigDecimal b) {
        return fixed(a.doubleValue() / b.doubleValue(), 2);
    }

    /** Seconds since the Unix epoch, as the events have them. */
    private static BigDecimal now() {
        Instant now = Instant.now();
        return BigDecimal.valueOf(now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000, 6);
    }

    // What is compared

    /** A script of the kit (with its strategy) or a shell command. */
    private record Sender(String name, Predict.Strategy strategy, String command) { }

    /** What the kernel model says of a strategy; the sizes of its writes, unless they are too many. */
    private static class Prediction {
        final Predict.Run run;
        final List<Long> writes = new ArrayList<>();

        Prediction(Predict.Settings settings, Predict.Strategy strategy) throws Predict.UnpredictableException {
            run = Predict.simulate(settings, strategy, null);
            if (run.writes() + run.reads() <= MOST_PREDICTED_EVENTS) {
                Predict.simulate(settings, strategy, new Predict.Observer() {
                    @Override
                    public void wrote(long time, long bytes) {
                        writes.add(bytes);
                    }
                });
            }
        }
    }

    /** The runs of a sender. */
    private record Summary(Sender sender, Prediction prediction, List<Run> runs) {
        List<Run> complete() {
            return runs.stream().filter(run -> run.error == null).toList();
        }

        /** Median over the complete runs; null where there is no such figure. */
        BigDecimal median(Function<Run, ? extends Number> figure) {
            List<BigDecimal> values = complete().stream().map(figure).filter(Objects::nonNull)
                    .map(value -> new BigDecimal(value.toString())).sorted().toList();
            int n = values.size();
            return n == 0 ? null : values.get((n - 1) / 2).add(values.get(n / 2)).divide(BigDecimal.valueOf(2));
        }

        BigDecimal accepted() {
            return median(run -> run.acceptedSeconds);
        }

        BigDecimal delivered() {
            return median(run -> run.deliveredSeconds);
        }

        /** User and system time of the sending thread. */
        BigDecimal cpu() {
            return median(run -> run.user == null ? null : run.user.add(run.system));
        }

        /** Blank where a run failed before that could be told. */
        String intact() {
            return runs.stream().anyMatch(run -> run.intact == Boolean.FALSE) ? "NO"
                    : runs.stream().allMatch(run -> run.intact == Boolean.TRUE) ? "yes"
                    : runs.stream().allMatch(Run::isGood) ? "size only" : "";
        }
    }

    private record Row(String label, Function<Summary, String> cell) {
        Stream<String> cells(List<Summary> summaries) {
            return Stream.concat(Stream.of(label), summaries.stream().map(cell));
        }
    }

    /** One run and its figures, which have the names and units of the comparison file. */
    private static class Run implements Closeable {
        final String sender;
        final String strategy;
        final int run;
        String error;
        long bytes;
        long delivered;
        Boolean intact;
        BigDecimal acceptedSeconds;
        BigDecimal deliveredSeconds;
        BigDecimal longestStall;
        Long writes;
        Long wouldBlock;
        Long polls;
        Long pollTimeouts;
        BigDecimal user;
        BigDecimal system;
        BigDecimal processUser;
        BigDecimal processSystem;
        Long beatsDue;
        Long beatsRun;
        BigDecimal beatWorst;
        String crc32c;

        private final transient long total;
        private final transient Path dir;
        private final transient Prediction prediction;
        private final transient Log sent;
        private final transient Log received;
        private final transient BigDecimal began = now();
        private transient boolean listening;
        private transient BigDecimal connected, accepted, lastWrite, lastRead, exited;
        private transient JsonObject done, closed;
        private transient BigDecimal stall = BigDecimal.ZERO;
        private transient int written;
        /** Number of the first write that is not as predicted, from 0, and its size. */
        private transient int unpredicted = -1;
        private transient long unpredictedSize;

        /** The two logs grow while the run goes on; a command's standard output is not one. */
        Run(Sender sender, int run, long total, Path dir, Prediction prediction) throws IOException {
            this.sender = sender.name;
            this.strategy = Objects.toString(sender.strategy, null);
            this.run = run;
            this.total = total;
            this.dir = dir;
            this.prediction = prediction;
            sent = new Log(strategy == null ? null : Files.createFile(dir.resolve("sender.out")));
            received = new Log(Files.createFile(dir.resolve("receiver.out")));
        }

        /** Takes in what both sides have reported by now. */
        Run follow() throws IOException {
            for (JsonObject event = sent.next(); event != null; event = sent.next()) {
                sent(event.get("event").getAsString(), event.get("time").getAsBigDecimal(), event);
            }
            for (JsonObject event = received.next(); event != null; event = received.next()) {
                received(event.get("event").getAsString(), event.get("time").getAsBigDecimal(), event);
            }
            return this;
        }

        private void sent(String event, BigDecimal time, JsonObject fields) {
            switch (event) {
                case "connected" -> {
                    connected = time;
                    lastWrite = time;
                }
                case "wrote" -> {
                    bytes = fields.get("total").getAsLong();
                    stall = stall.max(time.subtract(lastWrite));
                    lastWrite = time;
                    predictWrite(fields.get("bytes").getAsLong());
                    written++;
                }
                case "done" -> done = fields;
                default -> { } // beats are counted by the sender; why it failed stands on standard error, too
            }
        }

        private void predictWrite(long size) {
            if (unpredicted < 0 && prediction != null && written < prediction.writes.size()
                    && prediction.writes.get(written) != size) {
                unpredicted = written;
                unpredictedSize = size;
            }
        }

        private void received(String event, BigDecimal time, JsonObject fields) {
            switch (event) {
                case "listening" -> listening = true;
                case "connected" -> accepted = fields.get("peer_pid").getAsLong() == OWN_PID ? null : time;
                case "received" -> {
                    delivered = fields.get("total").getAsLong();
                    lastRead = time;
                }
                case "closed" -> closed = accepted == null ? null : fields;
            }
        }

        void senderEnded(int status) throws IOException {
            exited = now();
            follow();
            error = status == 0 ? null : failure(dir.resolve("sender.err"), status);
        }

        void abort(double deadline) throws IOException {
            follow();
            if (error == null) {
                BigDecimal idle = now().subtract(lastRead == null ? began : lastRead);
                error = "aborted: no progress for " + fixed(idle, 1) + " s, " + delivered + " of " + total
                        + " bytes (deadline " + fixed(deadline, 1) + " s)";
            }
        }

        /** Makes the figures; those of a whole run stay null where it failed. */
        void finish(String inputCrc32c, boolean beats) throws IOException {
            follow();
            bytes = strategy == null ? delivered : bytes;
            writes = strategy == null ? null : Long.valueOf(written);
            if (exited != null) {
                readProcessTimes();
            }
            if (closed != null) {
                crc32c = closed.get("crc32c").getAsString();
                String sent = done == null ? inputCrc32c : done.get("crc32c").getAsString();
                intact = delivered != total ? Boolean.FALSE
                        : sent == null ? null : Boolean.valueOf(sent.equals(crc32c));
            }
            if (error == null) {
                deliveredSeconds = lastRead == null ? BigDecimal.ZERO : lastRead.subtract(origin());
                acceptedSeconds = strategy != null ? lastWrite.subtract(connected)
                        : exited.compareTo(accepted) < 0 ? null : exited.subtract(accepted);
            }
            if (error == null && done != null) {
                longestStall = stall;
                wouldBlock = done.get("would_block").getAsLong();
                polls = done.get("polls").getAsLong();
                pollTimeouts = done.get("poll_timeouts").getAsLong();
                user = done.get("user").getAsBigDecimal();
                system = done.get("system").getAsBigDecimal();
                beatsDue = beats ? Long.valueOf(done.get("beats_due").getAsLong()) : null;
                beatsRun = beats ? Long.valueOf(done.get("beats_run").getAsLong()) : null;
                beatWorst = beats ? done.get("beat_worst").getAsBigDecimal() : null;
            }
        }

        /** When the sender connected; of a command it is known only when the receiver accepted that. */
        private BigDecimal origin() {
            return connected != null ? connected : accepted != null ? accepted : began;
        }

        /** What the shell's {@code times} printed: its own on the first line, that of its children on the second. */
        private void readProcessTimes() throws IOException {
            Path file = dir.resolve("times");
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            if (lines.size() == 2) {
                String[] times = lines.get(1).replace(',', '.').split("[ms ]+");
                processUser = new BigDecimal(times[0]).multiply(BigDecimal.valueOf(60)).add(new BigDecimal(times[1]));
                processSystem = new BigDecimal(times[2]).multiply(BigDecimal.valueOf(60)).add(new BigDecimal(times[3]));
            }
        }

        boolean isGood() {
            return error == null && intact != Boolean.FALSE;
        }

        String problem() {
            return error != null ? error : delivered != total ? delivered + " of " + total + " bytes arrived"
                    : "other bytes arrived than it should have sent";
        }

        Double cpuPercent() {
            return user == null || acceptedSeconds.signum() == 0 ? null
                    : 100 * user.add(system).doubleValue() / acceptedSeconds.doubleValue();
        }

        /** What is not as predicted in the writes of this run, which the text calls by the name; null if all is. */
        String unpredictedWrite(String name) {
            return unpredicted >= 0 ? "write " + (unpredicted + 1) + " of " + name + " took " + unpredictedSize
                    + " bytes, not " + prediction.writes.get(unpredicted)
                    : writes == prediction.run.writes() ? null
                    : name + " made " + writes + " writes, not " + prediction.run.writes();
        }

        /** Seconds by which the data was accepted or delivered later than predicted, whichever differs more. */
        BigDecimal delay() {
            BigDecimal accepting = acceptedSeconds.subtract(seconds(prediction.run.acceptedTime()));
            BigDecimal delivering = deliveredSeconds.subtract(seconds(prediction.run.deliveredTime()));
            return accepting.abs().compareTo(delivering.abs()) > 0 ? accepting : delivering;
        }

        /** Writes the events of both sides, in the order of their times, which then count from the connection. */
        void writeEvents(JsonWriter json) throws IOException {
            try (Log senders = new Log(strategy == null ? null : dir.resolve("sender.out"));
                    Log receivers = new Log(dir.resolve("receiver.out"))) {
                JsonObject bySender = senders.next();
                JsonObject byReceiver = receivers.next();
                while (bySender != null || byReceiver != null) {
                    if (byReceiver == null || bySender != null && time(bySender).compareTo(time(byReceiver)) <= 0) {
                        writeEvent(json, "sender", bySender);
                        bySender = senders.next();
                    } else {
                        writeEvent(json, "receiver", byReceiver);
                        byReceiver = receivers.next();
                    }
                }
            }
        }

        private static BigDecimal time(JsonObject event) {
            return event.get("time").getAsBigDecimal();
        }

        private void writeEvent(JsonWriter json, String side, JsonObject event) throws IOException {
            json.beginObject().name("side").value(side);
            for (Map.Entry<String, JsonElement> field : event.entrySet()) {
                json.name(field.getKey());
                if (field.getKey().equals("time")) {
                    json.value(time(event).subtract(origin()));
                } else {
                    GSON.toJson(field.getValue(), json);
                }
            }
            json.endObject();
        }

        @Override
        public void close() throws IOException {
            sent.close();
            received.close();
        }
    }

    /** The events that a process prints to a file, as far as it has come. */
    private static class Log implements Closeable {
        private final InputStream in;
        private final StringBuilder line = new StringBuilder();

        /** Null: no events at all. */
        Log(Path file) throws IOException {
            in = file == null ? InputStream.nullInputStream() : new BufferedInputStream(Files.newInputStream(file));
        }

        /** The next event; null when there is none yet, or only a part of it. */
        JsonObject next() throws IOException {
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (c == '\n') {
                    JsonObject event = JsonParser.parseString(line.toString()).getAsJsonObject();
                    line.setLength(0);
                    return event;
                }
                line.append((char) c); // all ASCII: other characters are escaped
            }
            return null;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** A sender by its strategy, or by the name of its script. */
    static class StrategyConverter implements ITypeConverter<Predict.Strategy> {
        @Override
        public Predict.Strategy convert(String text) {
            for (Predict.Strategy strategy : Predict.Strategy.values()) {
                if (text.equals(strategy.toString()) || text.equals(strategy + "-sender")) {
                    return strategy;
                }
            }
            throw new TypeConversionException("'" + text + "' is not blocking, nonblocking or poll");
        }
    }

    /** A shell command with the name that it has in the table. */
    static class CommandConverter implements ITypeConverter<Sender> {
        @Override
        public Sender convert(String text) {
            String[] parts = text.split("=", 2);
            if (parts.length < 2 || parts[0].isBlank() || !parts[0].matches("\\P{Cntrl}+") || parts[1].isBlank()) {
                throw new TypeConversionException("'" + text + "' is not a name and a command such as"
                        + " 'socat=socat -u OPEN:/tmp/file UNIX-CONNECT:{socket}'");
            }
            return new Sender(parts[0], null, parts[1]);
        }
    }
}
