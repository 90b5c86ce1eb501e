///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Predict every write of the three senders from a model of the kernel's send buffer
//JAVA 17+
//DEPS info.picocli:picocli:4.7.7
//DEPS com.google.code.gson:gson:2.13.2
//DEPS com.github.freva:ascii-table:1.8.0
//RUNTIME_OPTIONS -XX:+UseSerialGC

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.AsciiTableBuilder;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonIOException;
import com.google.gson.stream.JsonWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
 * Predicts what the three senders and the slow receiver do with given options: every write with its size and time, the
 * longest stall, the polls and the beats. It runs nothing; it follows the rules by which Linux cuts a write to a unix
 * stream socket into socket buffers, charges, admits and releases them ({@link KernelModel}), in virtual time.
 *
 * <p>Usage: {@code jbang predict.java --interval 100ms --explain}. The file of {@code --export-json} is what compare
 * writes of real runs, so plot draws it. A script with {@code //SOURCES predict.java} can call {@link #simulate}.
 *
 * <p>Limits: only Linux. Copying takes no time, and a read is over before the sender acts on it, so nothing is said
 * about throughput without pauses, nor about CPU time. In a real run the first read can come while the sender is still
 * filling the queue and find little there, which moves all the rest by at most one interval.
 */
@Command(name = "predict", version = "predict 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Predicts every write of the three senders from a model of the kernel's send buffer.")
class Predict implements Callable<Integer>, IParameterExceptionHandler {
    @Option(names = {"-n", "--size"}, paramLabel = "SIZE", converter = SizeConverter.class,
            description = "Bytes to send (default: 1m).")
    Long size;
    @Option(names = {"-i", "--input"}, paramLabel = "FILE", description = "Send as many bytes as FILE has, instead.")
    Path input;
    @Option(names = "--chunk", paramLabel = "SIZE", defaultValue = "1m", converter = BufferSizeConverter.class,
            description = "The sender's buffer, the most bytes offered to one write (default: ${DEFAULT-VALUE}).")
    long chunk;
    @Option(names = "--sndbuf", paramLabel = "SIZE", converter = BufferSizeConverter.class,
            description = "SO_SNDBUF to request; Linux doubles it (default: the system's).")
    Long sndbuf;
    @Option(names = {"-r", "--read-size"}, paramLabel = "SIZE", defaultValue = "20k",
            converter = BufferSizeConverter.class,
            description = "Most bytes taken by one read of the receiver (default: ${DEFAULT-VALUE}).")
    long readSize;
    @Option(names = {"-t", "--interval"}, paramLabel = "DURATION", defaultValue = "1s",
            converter = DurationConverter.class,
            description = "The receiver's pause after each read; 0s: none (default: ${DEFAULT-VALUE}).")
    long interval;
    @Option(names = "--heartbeat", paramLabel = "DURATION", converter = PeriodConverter.class,
            description = "Period of the heartbeat, other work of the sending thread (default: off).")
    Long heartbeat;
    @Option(names = "--give-up", paramLabel = "DURATION", converter = PeriodConverter.class,
            description = "The sender fails when nothing could be written for so long (default: never).")
    Long giveUp;
    @Option(names = "--timeout", paramLabel = "DURATION", defaultValue = "3s", converter = PeriodConverter.class,
            description = "Longest single wait of the poll sender (default: ${DEFAULT-VALUE}).")
    long timeout;
    @Option(names = "--strategy", paramLabel = "STRATEGY", converter = StrategyConverter.class,
            description = "blocking, nonblocking or poll; may be repeated (default: all).")
    Set<Strategy> strategies = EnumSet.noneOf(Strategy.class);
    @Option(names = "--page-size", paramLabel = "SIZE", converter = SizeConverter.class,
            description = "Page size of the machine (default: this machine's).")
    Long pageSize;
    @Option(names = "--wmem-default", paramLabel = "SIZE", converter = BufferSizeConverter.class,
            description = "net.core.wmem_default, the send buffer without --sndbuf (default: this machine's).")
    Long wmemDefault;
    @Option(names = "--wmem-max", paramLabel = "SIZE", converter = BufferSizeConverter.class,
            description = "net.core.wmem_max, the most that --sndbuf gets, before doubling (default: this machine's).")
    Long wmemMax;
    @Option(names = "--explain", description = "Also walk through the arithmetic behind the figures.")
    boolean explain;
    @Option(names = "--sweep", paramLabel = "OPTION=VALUE[,VALUE...]",
            description = "One row for each value of sndbuf, chunk, read-size or interval.")
    String sweep;
    @Option(names = "--max-stall", paramLabel = "DURATION", converter = PeriodConverter.class,
            description = "Find the --sndbuf and --chunk with which a poll sender makes the fewest writes while its"
                    + " longest stall stays under DURATION; one that is given is kept.")
    Long maxStall;
    @Option(names = "--export-json", paramLabel = "FILE",
            description = "Write the runs and their events to FILE, as compare does; -: to standard output, and the"
                    + " text to standard error.")
    String exportJson;
    @Spec
    CommandSpec spec;

    /** Steps without a repetition after which a run is refused, a few tenths of a second; less in a search. */
    private static final long MAX_STEPS = 5_000_000;
    private static final long MAX_SEARCH_STEPS = 20_000;
    /** These make a file of about 200 MB. */
    private static final long MAX_EVENTS = 1_000_000;
    private static final Gson GSON = new GsonBuilder().serializeNulls().create();

    private PrintStream text;

    public static void main(String... args) {
        Predict predict = new Predict();
        System.exit(new CommandLine(predict).setParameterExceptionHandler(predict).execute(args));
    }

    @Override
    public Integer call() {
        check(sweep == null || exportJson == null && maxStall == null && !explain,
                "--sweep does not go with --export-json, --max-stall or --explain");
        check(maxStall == null || strategies.isEmpty() || strategies.equals(EnumSet.of(Strategy.POLL)),
                "--max-stall is for --strategy poll alone");
        text = "-".equals(exportJson) ? System.err : System.out;
        try {
            Path target = exportJson == null || exportJson.equals("-") ? null : Path.of(exportJson);
            if (target != null) {
                checkOutput(target);
            }
            if (sweep == null) {
                predict(settings(), target);
            } else {
                text.print(sweepTable());
            }
            return CommandLine.ExitCode.OK;
        } catch (UnpredictableException | FileSystemException e) {
            return failed(e.getMessage());
        } catch (IOException e) {
            return failed((exportJson.equals("-") ? "standard output" : exportJson) + ": " + e.getMessage());
        }
    }

    private void predict(Settings asked, Path target) throws UnpredictableException, IOException {
        Settings settings = asked;
        if (maxStall != null) {
            strategies = EnumSet.of(Strategy.POLL);
            settings = withShortStalls(asked);
            text.println((settings.sndbuf == null ? "" : "--sndbuf " + settings.sndbuf + " ")
                    + "--chunk " + settings.chunk);
        }
        List<Run> runs = simulateAll(settings);
        if (exportJson != null) {
            checkEvents(runs);
        }
        if (explain) {
            text.println(explanation(settings, runs));
        }
        text.print(table(null, runs.stream().map(run -> new Row("", run)).toList()));
        if (exportJson != null) {
            export(settings, runs, target);
        }
    }

    private List<Run> simulateAll(Settings settings) throws UnpredictableException {
        List<Run> runs = new ArrayList<>();
        for (Strategy strategy : strategies()) {
            runs.add(simulate(settings, strategy, null));
        }
        return runs;
    }

    private Set<Strategy> strategies() {
        return strategies.isEmpty() ? EnumSet.allOf(Strategy.class) : strategies;
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

    private int failed(String message) {
        System.err.println(spec.name() + ": " + message);
        return CommandLine.ExitCode.SOFTWARE;
    }

    private static FileSystemException problem(Path file, String what) {
        return new FileSystemException(file.toString(), null, what);
    }

    /** The settings of the options; tells in a line what the kernel makes of a send buffer that it does not allow. */
    private Settings settings() throws FileSystemException {
        check(size == null || input == null, "--size does not go with --input");
        check(pageSize == null || Long.bitCount(pageSize) == 1 && pageSize >= 4096 && pageSize <= 256 << 10,
                "--page-size must be a power of two from 4k to 256k");
        for (Long wmem : new Long[] {wmemDefault, wmemMax}) {
            check(wmem == null || wmem >= KernelModel.MIN_SNDBUF,
                    "--wmem-default and --wmem-max must be at least the kernel's minimum, " + KernelModel.MIN_SNDBUF);
        }
        Machine machine = new Machine(pageSize == null ? Machine.auxvPageSize() : pageSize,
                wmemDefault == null ? Machine.sysctl("wmem_default") : wmemDefault,
                wmemMax == null ? Machine.sysctl("wmem_max") : wmemMax);
        long effective = KernelModel.sndbuf(machine, sndbuf);
        if (sndbuf != null && effective != 2 * sndbuf) {
            System.err.println(spec.name() + ": --sndbuf: " + sndbuf + (effective < 2 * sndbuf
                    ? " is over net.core.wmem_max, " + machine.wmemMax : " is under the kernel's minimum")
                    + "; the kernel makes it a send buffer of " + effective);
        }
        long bytes = size != null ? size : input != null ? length(input) : 1 << 20;
        return new Settings(bytes, chunk, sndbuf, readSize, interval, heartbeat, timeout, giveUp, machine);
    }

    private static long length(Path file) throws FileSystemException {
        if (!Files.isRegularFile(file)) {
            boolean absent = Files.notExists(file) && !file.toString().equals("-");
            throw problem(file, absent ? "no such file" : "is not a regular file; give its length with --size");
        }
        return file.toFile().length();
    }

    /** Rows for each value: what the same command line predicts with the option set to that value. */
    private String sweepTable() throws FileSystemException, UnpredictableException {
        String[] parts = sweep.split("=", 2);
        check(parts.length == 2 && Set.of("sndbuf", "chunk", "read-size", "interval").contains(parts[0]),
                "--sweep must be sndbuf, chunk, read-size or interval with values, as sndbuf=16k,64k: '" + sweep + "'");
        List<Row> rows = new ArrayList<>();
        for (String value : parts[1].split(",", -1)) {
            List<String> args = new ArrayList<>(spec.commandLine().getParseResult().originalArgs());
            args.add("--" + parts[0] + "=" + value);
            Predict predict = new Predict();
            new CommandLine(predict).setOverwrittenOptionsAllowed(true).parseArgs(args.toArray(String[]::new));
            simulateAll(predict.settings()).forEach(run -> rows.add(new Row(value, run)));
        }
        rows.sort(Comparator.comparing(row -> row.run.strategy));
        return table(parts[0], rows);
    }

    /**
     * The settings with the send buffer and the chunk of the poll sender that makes the fewest writes while no stall is
     * too long. Powers of two are tried, and multiples of the read size: the chunks of which a read releases most.
     */
    private Settings withShortStalls(Settings asked) throws UnpredictableException {
        List<Long> sndbufs = new ArrayList<>(Collections.singleton(asked.sndbuf));
        for (long bytes = 4096; asked.sndbuf == null && bytes <= asked.machine.wmemMax; bytes *= 2) {
            sndbufs.add(bytes);
        }
        Set<Long> chunks = new LinkedHashSet<>(Set.of(asked.chunk));
        for (int i = 0; i < 24 && !spec.commandLine().getParseResult().hasMatchedOption("--chunk"); i++) {
            chunks.add(64L << i);
            chunks.add(Math.min(asked.readSize * (i + 1), 2047L << 20));
        }
        Settings found = null;
        long fewest = Long.MAX_VALUE;
        long shortest = Long.MAX_VALUE;
        for (Long requested : sndbufs) {
            for (long size : chunks) {
                Settings candidate = asked.withBuffers(requested, size);
                try {
                    Run run = new Simulation(candidate, Strategy.POLL, null).run(MAX_SEARCH_STEPS);
                    shortest = Math.min(shortest, run.longestStall);
                    if (run.error == null && run.longestStall < maxStall && run.writes < fewest) {
                        fewest = run.writes;
                        found = candidate;
                    }
                } catch (UnpredictableException e) {
                    continue; // others have a shorter pattern
                }
            }
        }
        if (found == null) {
            throw new UnpredictableException("--max-stall: not possible: only a read makes room, and the reader pauses "
                    + time(asked.interval) + " after each; of the " + sndbufs.size() * chunks.size()
                    + " pairs of --sndbuf and --chunk tried, the best has a longest stall of "
                    + (shortest == Long.MAX_VALUE ? "unknown length" : time(shortest)));
        }
        return found;
    }

    // Text

    private record Row(String value, Run run) { }

    private static String table(String option, List<Row> rows) {
        List<ColumnData<Row>> columns = new ArrayList<>();
        columns.add(column("strategy", HorizontalAlign.LEFT, row -> row.run.strategy.toString()));
        if (option != null) {
            columns.add(column(option, HorizontalAlign.RIGHT, Row::value));
        }
        columns.add(column("writes", HorizontalAlign.RIGHT, row -> "" + row.run.writes));
        columns.add(column("accepted", HorizontalAlign.RIGHT,
                row -> row.run.error == null ? time(row.run.acceptedTime) : "gave up"));
        columns.add(column("delivered", HorizontalAlign.RIGHT, row -> time(row.run.deliveredTime)));
        columns.add(column("longest stall", HorizontalAlign.RIGHT, row -> time(row.run.longestStall)));
        columns.add(column("polls", HorizontalAlign.RIGHT,
                row -> row.run.strategy == Strategy.POLL ? "" + row.run.polls : "-"));
        if (rows.get(0).run.beatsDue != null) {
            columns.add(column("beats", HorizontalAlign.RIGHT, row -> row.run.beatsRun + "/" + row.run.beatsDue));
            columns.add(column("worst", HorizontalAlign.RIGHT, row -> time(row.run.worstBeat)));
        }
        return format(AsciiTable.builder().data(rows, columns));
    }

    private static ColumnData<Row> column(String header, HorizontalAlign align, Function<Row, String> cell) {
        return new Column().header(header).headerAlign(align).dataAlign(align).with(cell);
    }

    /** Without borders and the space for them. */
    private static String format(AsciiTableBuilder table) {
        String lines = table.border(AsciiTable.NO_BORDERS).lineSeparator("\n").asString();
        return lines.replaceAll("(?m)^ | +$", "") + "\n";
    }

    /** Nanoseconds as seconds with their unit. */
    private static String time(long nanos) {
        return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString() + " s";
    }

    private static String count(long number, String unit) {
        return number + " " + unit + (number == 1 ? "" : "s");
    }

    /** The arithmetic of these settings, step by step. */
    private static String explanation(Settings settings, List<Run> runs) throws UnpredictableException {
        Map<String, String> steps = new LinkedHashMap<>();
        KernelModel socket = new KernelModel(settings.machine, settings.sndbuf);
        long write = settings.size == 0 ? settings.chunk : Math.min(settings.chunk, settings.size);
        long skb = socket.skbSize(write);
        long rest = write % skb;
        long pages = socket.pageAlign(socket.dataLen(skb));
        long head = socket.truesize(skb) - KernelModel.SK_BUFF - pages;
        steps.put("send buffer", count(socket.sndbuf, "byte") + ", "
                + (settings.sndbuf == null ? "net.core.wmem_default"
                : socket.sndbuf == 2 * settings.sndbuf ? "twice the --sndbuf of " + settings.sndbuf
                : socket.sndbuf < 2 * settings.sndbuf ? "twice net.core.wmem_max, which --sndbuf exceeds"
                : "the kernel's minimum"));
        steps.put("cut", "a write of " + count(write, "byte") + " becomes " + count(write / skb, "skb") + " of " + skb
                + (rest == 0 ? "" : " and one of " + rest) + "; an skb takes at most half the send buffer less 64, "
                + (socket.sndbuf / 2 - 64) + ", and at most " + (socket.maxHead + socket.maxFrags) + ": "
                + socket.maxHead + " in its head (a page of " + socket.pageSize + " less " + KernelModel.SHINFO
                + " for skb_shared_info) and " + socket.maxFrags + " in pages of its own");
        steps.put("charge", "an skb of " + count(skb, "byte") + " is charged " + socket.truesize(skb) + ": " + head
                + " for its head, " + KernelModel.SK_BUFF + " for struct sk_buff"
                + (pages == 0 ? "" : ", " + pages + " for its pages"));
        long filled = 0;
        while (filled < settings.size && socket.admits()) {
            filled += socket.sendmsg(Math.min(settings.chunk, settings.size - filled));
        }
        long skbs = socket.qlen();
        steps.put("admission", "a write gets another skb while less than " + socket.sndbuf + " is charged: at first "
                + count(skbs, "skb") + ", " + count(filled, "byte") + ", charged " + socket.wmemAlloc
                + (filled == settings.size ? "; that is all, so none waits for room" : ""));
        if (filled < settings.size) {
            steps.put("release", "an skb gives its charge back when its last byte is read; the reader takes "
                    + count(settings.readSize, "byte") + " every " + time(settings.interval)
                    + ", so the first comes free by " + read(settings, socket.untilCharged(socket.wmemAlloc - 1)));
            long drained = socket.recvmsg(socket.untilCharged(socket.mostToWake()));
            steps.put("wake-up", "who sleeps in poll or write is woken by a release that leaves at most a quarter"
                    + " charged, (charged + 2) x 4 <= " + socket.sndbuf + ", so " + socket.mostToWake() + "; for that "
                    + (skbs - socket.qlen()) + " of the " + count(skbs, "skb") + " must be read, "
                    + count(drained, "byte") + ", by " + read(settings, drained));
        }
        for (Run run : runs) {
            Bursts bursts = new Bursts();
            simulate(settings.withSize(Math.min(settings.size, 3 * filled)), run.strategy, bursts);
            steps.put(run.strategy.toString(), switch (run.strategy) {
                case BLOCKING -> "a write returns when its last skb is admitted; the longest takes "
                        + time(run.longestStall);
                case NONBLOCKING -> "writes whenever less than " + socket.sndbuf + " is charged: " + bursts;
                case POLL -> "writes whenever three quarters are free: " + bursts;
            });
        }
        steps.replaceAll((step, text) -> text.replaceAll("(\\d) (?=bytes?\\b|skbs?\\b|s\\b)", "$1\u00a0"));
        return format(AsciiTable.builder().data(steps.entrySet(), List.of(
                new Column().dataAlign(HorizontalAlign.LEFT).with(Map.Entry::getKey),
                new Column().dataAlign(HorizontalAlign.LEFT).maxWidth(66).with(Map.Entry::getValue))))
                .replace('\u00a0', ' ');
    }

    private static String read(Settings settings, long bytes) {
        long number = (bytes - 1) / settings.readSize + 1;
        return "read " + number + ", at " + time((number - 1) * settings.interval);
    }

    /** Gathers the writes between two reads. */
    private static class Bursts implements Observer {
        final List<Long> times = new ArrayList<>();
        final List<Long> bytes = new ArrayList<>();
        private boolean after = true;

        @Override
        public void wrote(long time, long count) {
            if (after) {
                times.add(time);
                bytes.add(0L);
                after = false;
            }
            bytes.set(bytes.size() - 1, bytes.get(bytes.size() - 1) + count);
        }

        @Override
        public void received(long time, long count) {
            after = true;
        }

        @Override
        public String toString() {
            return times.isEmpty() ? "nothing" : IntStream.range(0, Math.min(2, times.size()))
                    .mapToObj(i -> count(bytes.get(i), "byte") + " at " + time(times.get(i)))
                    .collect(Collectors.joining(", then "));
        }
    }

    // The comparison file

    private static void checkOutput(Path target) throws FileSystemException {
        boolean exists = Files.exists(target);
        if (exists && !Files.isRegularFile(target)) {
            throw problem(target, "is not a regular file; choose another --export-json");
        }
        Path directory = target.toAbsolutePath().getParent();
        if (!Files.isDirectory(directory)) {
            throw problem(target, "its directory does not exist");
        }
        if (!Files.isWritable(directory) || exists && !Files.isWritable(target)) {
            throw problem(target, "cannot be written to");
        }
    }

    private static void checkEvents(List<Run> runs) throws UnpredictableException {
        long events = 0;
        for (Run run : runs) {
            events += run.writes + run.reads + (run.beatsRun == null ? 0 : run.beatsRun);
        }
        if (events > MAX_EVENTS) {
            throw new UnpredictableException("--export-json: there would be " + events + " events, more than "
                    + MAX_EVENTS + "; choose a smaller --size or a longer --heartbeat");
        }
    }

    private void export(Settings settings, List<Run> runs, Path target) throws UnpredictableException, IOException {
        if (target == null) {
            OutputStream out = new FileOutputStream(FileDescriptor.out); // System.out hides errors
            export(settings, runs, new OutputStreamWriter(out, StandardCharsets.UTF_8));
            return;
        }
        Path replaced = Files.exists(target) ? target.toRealPath() : target;
        Path part = replaced.resolveSibling("." + replaced.getFileName() + "." + ProcessHandle.current().pid());
        part.toFile().deleteOnExit();
        export(settings, runs, Files.newBufferedWriter(part, StandardOpenOption.CREATE_NEW));
        Files.move(part, replaced, StandardCopyOption.ATOMIC_MOVE);
    }

    private void export(Settings settings, List<Run> runs, Writer file) throws UnpredictableException, IOException {
        try (JsonWriter json = new JsonWriter(file)) {
            json.setIndent("  ");
            json.beginObject().name("kind").value("predicted").name("version").value(1);
            json.name("machine");
            write(json, object("os", System.getProperty("os.name"), "arch", System.getProperty("os.arch"),
                    "kernel", System.getProperty("os.version"), "java", System.getProperty("java.version"),
                    "cpus", Runtime.getRuntime().availableProcessors(), "page_size", settings.machine.pageSize,
                    "wmem_default", settings.machine.wmemDefault));
            json.name("settings");
            write(json, object("size", settings.size, "input", input == null ? null : input.toString(),
                    "chunk", settings.chunk, "sndbuf", settings.sndbuf, "read_size", settings.readSize,
                    "interval", seconds(settings.interval), "heartbeat", secondsOrNull(settings.heartbeat),
                    "timeout", seconds(settings.timeout), "give_up", secondsOrNull(settings.giveUp),
                    "connect_timeout", seconds(0), "runs", 1, "deadline", null));
            json.name("runs").beginArray();
            for (Run run : runs) {
                json.beginObject();
                for (Map.Entry<String, Object> figure : figures(run).entrySet()) {
                    json.name(figure.getKey());
                    write(json, figure.getValue());
                }
                json.name("events").beginArray();
                exportEvents(settings, run, json);
                json.endArray().endObject();
            }
            json.endArray().endObject();
            file.write("\n");
        } catch (JsonIOException e) {
            throw new IOException(e.getCause().getMessage());
        }
    }

    private static Map<String, Object> figures(Run run) {
        return object("sender", run.strategy + "-sender", "strategy", run.strategy.toString(), "run", 1,
                "error", run.error, "bytes", run.bytes, "delivered", run.bytes, "intact", null,
                "accepted_seconds", seconds(run.acceptedTime), "delivered_seconds", seconds(run.deliveredTime),
                "longest_stall", seconds(run.longestStall), "writes", run.writes, "would_block", run.wouldBlocks,
                "polls", run.polls, "poll_timeouts", run.pollTimeouts, "user", null, "system", null,
                "process_user", null, "process_system", null, "beats_due", run.beatsDue, "beats_run", run.beatsRun,
                "beat_worst", secondsOrNull(run.worstBeat), "crc32c", null);
    }

    private static void exportEvents(Settings settings, Run run, JsonWriter json) throws UnpredictableException {
        write(json, event("sender", 0, "connected", "sndbuf", KernelModel.sndbuf(settings.machine, settings.sndbuf),
                "chunk", settings.chunk));
        simulate(settings, run.strategy, new Observer() {
            private long accepted;
            private long delivered;

            @Override
            public void wrote(long time, long bytes) {
                accepted += bytes;
                write(json, event("sender", time, "wrote", "bytes", bytes, "total", accepted));
            }

            @Override
            public void received(long time, long bytes) {
                delivered += bytes;
                write(json, event("receiver", time, "received", "connection", 1, "bytes", bytes, "total", delivered));
            }

            @Override
            public void beat(long time, long late) {
                write(json, event("sender", time, "beat", "late", seconds(late)));
            }

            @Override
            public void ended(long time) {
                write(json, run.error != null
                        ? event("sender", time, "failed", "message", run.error, "bytes", run.bytes)
                        : event("sender", time, "done", "bytes", run.bytes, "writes", run.writes,
                        "would_block", run.wouldBlocks, "polls", run.polls, "poll_timeouts", run.pollTimeouts,
                        "seconds", seconds(time), "user", null, "system", null, "crc32c", null,
                        "beats_due", run.beatsDue, "beats_run", run.beatsRun,
                        "beat_worst", secondsOrNull(run.worstBeat)));
            }
        });
        write(json, event("receiver", run.closed, "closed", "connection", 1, "bytes", run.bytes, "reads", run.reads,
                "seconds", seconds(run.closed), "crc32c", null, "end", "eof"));
    }

    private static Map<String, Object> event(String side, long time, String name, Object... fields) {
        Map<String, Object> event = object("side", side, "time", seconds(time), "event", name);
        event.putAll(object(fields));
        return event;
    }

    private static Map<String, Object> object(Object... fields) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < fields.length; i += 2) {
            object.put((String) fields[i], fields[i + 1]);
        }
        return object;
    }

    private static void write(JsonWriter json, Object value) {
        GSON.toJson(value, Object.class, json);
    }

    private static BigDecimal secondsOrNull(Long nanos) {
        return nanos == null ? null : seconds(nanos);
    }

    // The model

    /**
     * Predicts one run. Without an observer its cost does not grow with the size: as soon as the pattern of a run
     * repeats, the repetitions are counted and not gone through.
     *
     * @param observer hears of every write, read and beat, or null; the run without one tells how many there will be
     * @throws UnpredictableException if no pattern repeats soon enough, or the run would last longer than 292 years
     */
    static Run simulate(Settings settings, Strategy strategy, Observer observer) throws UnpredictableException {
        return new Simulation(settings, strategy, observer).run(MAX_STEPS);
    }

    /** What a run depends on, in bytes and nanoseconds; null: the kernel's default, or not asked for. */
    record Settings(long size, long chunk, Long sndbuf, long readSize, long interval, Long heartbeat, long timeout,
            Long giveUp, Machine machine) {
        Settings withSize(long newSize) {
            return new Settings(newSize, chunk, sndbuf, readSize, interval, heartbeat, timeout, giveUp, machine);
        }

        Settings withBuffers(Long newSndbuf, long newChunk) {
            return new Settings(size, newChunk, newSndbuf, readSize, interval, heartbeat, timeout, giveUp, machine);
        }
    }

    /** What the model needs to know of a Linux machine, in bytes. */
    record Machine(long pageSize, long wmemDefault, long wmemMax) {
        /** This machine; fails where that is not to be found out: it is not Linux, or a container hides it. */
        static Machine local() throws FileSystemException {
            return new Machine(auxvPageSize(), sysctl("wmem_default"), sysctl("wmem_max"));
        }

        /** AT_PAGESZ in the auxiliary vector of this process, where getpagesize(3) finds it too. */
        static long auxvPageSize() throws FileSystemException {
            Path file = Path.of("/proc/self/auxv");
            try {
                ByteBuffer auxv = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
                while (auxv.getLong() != 6) {
                    auxv.getLong();
                }
                return auxv.getLong();
            } catch (IOException | BufferUnderflowException e) {
                throw unknown(file);
            }
        }

        static long sysctl(String name) throws FileSystemException {
            Path file = Path.of("/proc/sys/net/core", name);
            try {
                return Long.parseLong(Files.readAllLines(file).get(0)); // readString reads twice, which gets nothing
            } catch (IOException e) {
                throw unknown(file);
            }
        }

        private static FileSystemException unknown(Path file) {
            return problem(file, "cannot be read; describe the Linux machine to predict for with --page-size,"
                    + " --wmem-default and --wmem-max");
        }
    }

    enum Strategy {
        BLOCKING, NONBLOCKING, POLL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Hears what happens in a run, in order; times in nanoseconds from the connection. */
    interface Observer {
        default void wrote(long time, long bytes) { }

        default void received(long time, long bytes) { }

        default void beat(long time, long late) { }

        /** The sender is done or gives up. */
        default void ended(long time) { }
    }

    /**
     * The figures of one run, in bytes and nanoseconds from the connection.
     *
     * @param error        why the sender failed, or null
     * @param bytes        accepted by the kernel; all of them are delivered
     * @param acceptedTime when the last write returned
     * @param ended        when the sender was done or failed
     * @param closed       when the receiver read the end
     * @param longestStall longest time between two writes, or between the connection and the first
     * @param wouldBlocks  refused writes; null where the sender spins
     * @param beatsDue     null without a heartbeat, as beatsRun and worstBeat
     */
    record Run(Strategy strategy, String error, long bytes, long acceptedTime, long deliveredTime, long ended,
            long closed, long longestStall, long writes, Long wouldBlocks, long polls, long pollTimeouts, long reads,
            Long beatsDue, Long beatsRun, Long worstBeat) { }

    /** A run that cannot be predicted in reasonable time; the message says why. */
    static class UnpredictableException extends Exception {
        private static final long serialVersionUID = 1;

        UnpredictableException(String message) {
            super(message);
        }
    }

    /**
     * What Linux does with writes to a unix stream socket: it cuts them into socket buffers (skbs), charges the sender
     * for the truesize of each, and gives that back once the reader has read the whole skb. Names are the kernel's.
     * Checked against Linux 6.18 on x86-64 with 4 KiB pages; other page sizes and recent 64-bit kernels follow from the
     * source, but for those without CONFIG_MEMCG, which give a small skb a head of another size.
     */
    static class KernelModel {
        /** struct skb_shared_info at the end of each head, aligned to a cache line: include/linux/skbuff.h. */
        static final long SHINFO = 320;
        /** struct sk_buff, aligned to a cache line: include/linux/skbuff.h. */
        static final long SK_BUFF = 256;
        /** Smallest send buffer, two skbs of 2048 bytes: SOCK_MIN_SNDBUF in include/net/sock.h. */
        static final long MIN_SNDBUF = 2 * (2048 + SK_BUFF);

        final long pageSize;
        final long sndbuf;
        /** What an skb holds in its head, a page: SKB_MAX_HEAD in include/linux/skbuff.h. */
        final long maxHead;
        /** What it holds in pages of its own besides: UNIX_SKB_FRAGS_SZ in net/unix/af_unix.c. */
        final long maxFrags;
        long wmemAlloc;
        private final Deque<Skbs> receiveQueue = new ArrayDeque<>();
        /** Bytes of the first skb that are read already. */
        private long consumed;

        KernelModel(Machine machine, Long requested) {
            pageSize = machine.pageSize;
            maxHead = pageSize - SHINFO;
            maxFrags = Math.max(32768, pageSize);
            sndbuf = sndbuf(machine, requested);
        }

        /** The send buffer as getsockopt reports it: sk_setsockopt and sock_init_data_uid in net/core/sock.c. */
        static long sndbuf(Machine machine, Long requested) {
            return requested == null ? machine.wmemDefault
                    : Math.max(MIN_SNDBUF, 2 * Math.min(requested, Math.min(machine.wmemMax, Integer.MAX_VALUE / 2)));
        }

        /** Bytes that the next skb of a write takes: unix_stream_sendmsg in net/unix/af_unix.c. */
        long skbSize(long remaining) {
            return Math.min(remaining, Math.min(sndbuf / 2 - 64, maxHead + maxFrags));
        }

        /** Bytes of an skb that lie in pages, not in its head: unix_stream_sendmsg. */
        long dataLen(long size) {
            return Math.min(size, pageAlign(Math.max(0, size - maxHead)));
        }

        /** What an skb is charged, head and all: __alloc_skb and alloc_skb_with_frags in net/core/skbuff.c. */
        long truesize(long size) {
            long dataLen = dataLen(size);
            return kmalloc(size - dataLen + SHINFO) + SK_BUFF + pageAlign(dataLen);
        }

        private long pageAlign(long size) {
            return (size + pageSize - 1) & -pageSize;
        }

        /** The size class that holds a head; from 256 bytes on they are the powers of two: mm/slab_common.c. */
        static long kmalloc(long size) {
            return Long.highestOneBit(size - 1) << 1;
        }

        /** Whether a write gets an skb, perhaps a larger one than fits: sock_alloc_send_pskb in net/core/sock.c. */
        boolean admits() {
            return wmemAlloc < sndbuf;
        }

        /** Whether poll finds the socket writable: unix_writable in net/unix/af_unix.c; the 1 is the socket's own. */
        boolean writable() {
            return (wmemAlloc + 1) * 4 <= sndbuf;
        }

        /**
         * Most that is charged after a release that wakes who sleeps in poll or write: unix_write_space asks what
         * unix_writable does, but sock_wfree (net/core/sock.c) calls it while it still holds 1 byte of the skb.
         */
        long mostToWake() {
            return sndbuf / 4 - 2;
        }

        /** A non-blocking write: takes skb after skb while they are admitted; returns the bytes taken. */
        long sendmsg(long length) {
            long sent = 0;
            while (sent < length && admits()) {
                long size = skbSize(length - sent);
                sent += size * queue(size, (length - sent) / size, sndbuf);
            }
            return sent;
        }

        /** Queues up to count skbs of a size, each if less than the limit is charged before it; returns how many. */
        long queue(long size, long count, long limit) {
            long truesize = truesize(size);
            long skbs = Math.min(count, (limit - wmemAlloc + truesize - 1) / truesize);
            wmemAlloc += skbs * truesize;
            if (!receiveQueue.isEmpty() && receiveQueue.getLast().size == size) {
                receiveQueue.getLast().count += skbs;
            } else {
                receiveQueue.add(new Skbs(size, truesize, skbs));
            }
            return skbs;
        }

        /** A read; an skb is released, with its whole charge, when its last byte is read. Returns the bytes read. */
        long recvmsg(long length) {
            long copied = 0;
            while (copied < length && !receiveQueue.isEmpty()) {
                Skbs first = receiveQueue.getFirst();
                long released = Math.min(first.count, (consumed + length - copied) / first.size);
                if (released == 0) {
                    consumed += length - copied;
                    return length;
                }
                copied += released * first.size - consumed;
                consumed = 0;
                wmemAlloc -= released * first.truesize;
                first.count -= released;
                if (first.count == 0) {
                    receiveQueue.removeFirst();
                }
            }
            return copied;
        }

        /** Skbs in the queue. */
        long qlen() {
            return receiveQueue.stream().mapToLong(skbs -> skbs.count).sum();
        }

        /** Bytes that must be read until at most so much is charged. */
        long untilCharged(long most) {
            long bytes = -consumed;
            long charged = wmemAlloc;
            for (Skbs skbs : receiveQueue) {
                long released = Math.min(skbs.count, Math.max(0, charged - most + skbs.truesize - 1) / skbs.truesize);
                bytes += released * skbs.size;
                charged -= released * skbs.truesize;
            }
            return bytes;
        }

        /** The queue in numbers, which are equal when the queues are. */
        long[] state() {
            long[] state = new long[1 + 2 * receiveQueue.size()];
            int i = 0;
            state[i++] = consumed;
            for (Skbs skbs : receiveQueue) {
                state[i++] = skbs.size;
                state[i++] = skbs.count;
            }
            return state;
        }

        /** Neighbours of one size in the queue; one entry for all keeps long queues of small skbs short. */
        private static class Skbs {
            final long size;
            final long truesize;
            long count;

            Skbs(long size, long truesize, long count) {
                this.size = size;
                this.truesize = truesize;
                this.count = count;
            }
        }
    }

    /** A sender and the slow receiver in virtual time; each acts as soon as it may, and timers come before reads. */
    private static class Simulation {
        private static final long NEVER = Long.MAX_VALUE;
        /** How long poll-sender goes without a write before it tries one. */
        private static final long STALL = TimeUnit.SECONDS.toNanos(30);

        private final Settings settings;
        private final Strategy strategy;
        private final Observer observer;
        private final KernelModel socket;
        private final Counts counts = new Counts();
        /** A write is begun while less than this is charged. */
        private final long limit;
        /** Bytes that are still to come into the sender's buffer, are in it, were taken by the write that blocks. */
        private long unsent, left, writing;
        /** Times; those of the run are later by what was skipped. */
        private long now, skipped, waitingSince, lastTry, lastWrite, nextBeat, delivered, ended;
        private long longestStall, worstBeat;
        private boolean over;
        private String error;
        private long steps;
        private Moment then;
        private boolean repeated;

        Simulation(Settings settings, Strategy strategy, Observer observer) {
            this.settings = settings;
            this.strategy = strategy;
            this.observer = observer;
            socket = new KernelModel(settings.machine, settings.sndbuf);
            limit = strategy == Strategy.POLL ? socket.sndbuf / 4 : socket.sndbuf;
            unsent = settings.size;
            nextBeat = settings.heartbeat == null ? NEVER : settings.heartbeat;
        }

        Run run(long maxSteps) throws UnpredictableException {
            try {
                send();
                long nextRead = 0;
                while (!over || counts.delivered < counts.bytes) {
                    long alarm = alarm();
                    if (alarm <= nextRead) {
                        advance(alarm);
                        ring();
                    } else {
                        nextRead = read(nextRead, alarm);
                        skipRepetitions();
                    }
                    if (++steps > maxSteps && observer == null) {
                        throw new UnpredictableException("too long to predict: nothing repeats in the first "
                                + counts.reads + " reads; choose a smaller --size, or --chunk and --read-size with a"
                                + " larger common divisor");
                    }
                }
                return result(counts.reads == 0 ? 0 : nextRead);
            } catch (ArithmeticException e) {
                throw new UnpredictableException("too long to predict: it would last longer than 292 years");
            }
        }

        /** The next read that may matter to the sender, with those before it; returns the time of the one after it. */
        private long read(long time, long alarm) {
            long most = over ? 0 : strategy == Strategy.NONBLOCKING ? limit - 1 : socket.mostToWake();
            long quiet = observer == null ? (socket.untilCharged(most) - 1) / settings.readSize : 0;
            if (alarm != NEVER && settings.interval > 0) {
                quiet = Math.min(quiet, (alarm - time - 1) / settings.interval);
            }
            advance(Math.addExact(time, Math.multiplyExact(quiet, settings.interval)));
            long bytes = socket.recvmsg(quiet * settings.readSize) + socket.recvmsg(settings.readSize);
            counts.reads += quiet + 1;
            counts.delivered += bytes;
            delivered = now;
            if (observer != null) {
                observer.received(now, bytes);
            }
            if (!over && socket.wmemAlloc <= most) {
                send();
            }
            return Math.addExact(now, settings.interval);
        }

        /** Lets the sender write until it has to wait. */
        private void send() {
            while (fill()) {
                if (socket.wmemAlloc >= limit) {
                    waitingSince = now;
                    return;
                }
                long writes = 1;
                if (left == settings.chunk && socket.skbSize(left) == left) {
                    writes = socket.queue(left, 1 + unsent / left, limit);
                    unsent -= (writes - 1) * left;
                    wrote(writes, left);
                    left = 0;
                } else {
                    long sent = socket.sendmsg(left);
                    left -= sent;
                    writing += sent;
                    if (left == 0 || strategy != Strategy.BLOCKING) {
                        wrote(1, writing);
                    }
                }
                counts.polls += strategy == Strategy.POLL ? writes : 0;
            }
            end();
        }

        private void end() {
            over = true;
            ended = now;
            if (observer != null) {
                observer.ended(now);
            }
        }

        /** Refills the buffer once it is empty; false when there is nothing left to send. */
        private boolean fill() {
            if (left == 0) {
                left = Math.min(settings.chunk, unsent);
                unsent -= left;
            }
            return left > 0;
        }

        private void wrote(long writes, long bytes) {
            writing = 0;
            counts.writes += writes;
            counts.bytes += writes * bytes;
            longestStall = Math.max(longestStall, now - lastWrite);
            lastWrite = now;
            lastTry = now;
            for (long i = 0; i < writes && observer != null; i++) {
                observer.wrote(now, bytes);
            }
            beatLate();
        }

        /** When the sender stops waiting by itself: to give up, to try a write all the same, to poll again. */
        private long alarm() {
            if (over) {
                return NEVER;
            }
            long alarm = settings.giveUp == null ? NEVER
                    : Math.addExact(strategy == Strategy.BLOCKING ? waitingSince : lastWrite, settings.giveUp);
            if (strategy == Strategy.POLL) {
                alarm = Math.min(alarm, Math.addExact(lastTry, STALL));
                if (socket.writable()) {
                    alarm = Math.min(alarm, Math.min(nextBeat, Math.addExact(waitingSince, settings.timeout)));
                }
            }
            return alarm;
        }

        private void ring() {
            switch (strategy) {
                case BLOCKING -> endWait();
                case NONBLOCKING -> giveUp();
                case POLL -> endPoll();
            }
        }

        /** SO_SNDTIMEO: the wait for one skb is over, and takes it if there is room by now, else the write returns. */
        private void endWait() {
            if (socket.admits()) {
                send();
            } else if (writing > 0) {
                wrote(1, writing);
                waitingSince = now;
            } else {
                counts.wouldBlocks++;
                beatLate();
                giveUp();
            }
        }

        private void endPoll() {
            if (waitingSince < now) {
                counts.pollTimeouts++;
                waitingSince = now;
            }
            if (settings.giveUp != null && now - lastWrite >= settings.giveUp) {
                giveUp();
            } else if (socket.writable()) {
                send();
            } else {
                counts.pollTimeouts++;
                lastTry = now;
                long sent = socket.sendmsg(left);
                if (sent > 0) {
                    left -= sent;
                    wrote(1, sent);
                    send();
                } else {
                    counts.wouldBlocks++;
                }
            }
        }

        private void giveUp() {
            error = "gave up, nothing could be written for " + seconds(settings.giveUp) + " s";
            end();
        }

        /** Lets time go by; a sender that is not stuck in a write serves its heartbeat meanwhile. */
        private void advance(long time) {
            if (!over && strategy == Strategy.POLL) {
                poll(time);
            } else if (!over && strategy == Strategy.NONBLOCKING && nextBeat <= time) {
                beat((time - nextBeat) / settings.heartbeat + 1);
            }
            now = time;
        }

        /** Polls without result until the given time: each ends after --timeout, or when a beat is due. */
        private void poll(long until) {
            while (true) {
                long timeouts = (Math.min(nextBeat, until) - waitingSince) / settings.timeout;
                counts.pollTimeouts += timeouts;
                waitingSince += timeouts * settings.timeout;
                if (nextBeat > until) {
                    return;
                }
                counts.pollTimeouts += waitingSince < nextBeat ? 1 : 0;
                waitingSince = nextBeat;
                beat(1);
                if (observer == null) {
                    long periods = (until - waitingSince) / settings.heartbeat;
                    counts.pollTimeouts += periods * ((settings.heartbeat - 1) / settings.timeout + 1);
                    waitingSince += periods * settings.heartbeat;
                    beat(periods);
                }
            }
        }

        private void beat(long times) {
            counts.beats += times;
            for (long i = 0; i < times && observer != null; i++) {
                observer.beat(nextBeat + i * settings.heartbeat, 0);
            }
            nextBeat += times * settings.heartbeat;
        }

        /** Serves a heartbeat that became due in a write; the others that it missed there are skipped. */
        private void beatLate() {
            if (now >= nextBeat) {
                long late = now - nextBeat;
                counts.beats++;
                worstBeat = Math.max(worstBeat, late);
                nextBeat += (late / settings.heartbeat + 1) * settings.heartbeat;
                if (observer != null) {
                    observer.beat(now, late);
                }
            }
        }

        /** Once all is as it was before, which Brent's algorithm finds, counts the repetitions without doing them. */
        private void skipRepetitions() {
            if (observer != null || over || repeated) {
                return;
            }
            if (then != null && then.left == left && then.charged == socket.wmemAlloc
                    && Arrays.equals(then.sender, state()) && Arrays.equals(then.queue, socket.state())) {
                repeated = true;
                long times = unsent / (counts.bytes - then.counts.bytes);
                unsent -= times * (counts.bytes - then.counts.bytes);
                skipped = Math.multiplyExact(times, now - then.now);
                counts.add(counts, then.counts, times);
            } else if (then == null || steps >= 2 * then.steps) {
                then = new Moment(steps, now, left, socket.wmemAlloc, state(), socket.state(), counts.copy());
            }
        }

        private record Moment(long steps, long now, long left, long charged, long[] sender, long[] queue,
                Counts counts) { }

        /** All that the sender's future depends on, but for the end. */
        private long[] state() {
            return new long[] {writing, now - waitingSince, now - lastTry, now - lastWrite,
                nextBeat == NEVER ? NEVER : nextBeat - now};
        }

        private Run result(long closed) {
            Long heartbeat = settings.heartbeat;
            return new Run(strategy, error, counts.bytes, skipped + lastWrite, skipped + delivered, skipped + ended,
                    Math.addExact(skipped, closed), longestStall, counts.writes,
                    strategy == Strategy.NONBLOCKING ? null : (Long) counts.wouldBlocks,
                    counts.polls + counts.pollTimeouts, counts.pollTimeouts, counts.reads,
                    heartbeat == null ? null : (Long) ((skipped + ended) / heartbeat),
                    heartbeat == null ? null : (Long) counts.beats, heartbeat == null ? null : (Long) worstBeat);
        }
    }

    /** What has been counted in a run. */
    private static class Counts {
        long bytes, delivered, writes, reads, wouldBlocks, polls, pollTimeouts, beats;

        Counts copy() {
            Counts copy = new Counts();
            copy.add(this, new Counts(), 1);
            return copy;
        }

        /** Adds, so many times, what was counted from the earlier to the later time. */
        void add(Counts later, Counts earlier, long times) {
            bytes += times * (later.bytes - earlier.bytes);
            delivered += times * (later.delivered - earlier.delivered);
            writes += times * (later.writes - earlier.writes);
            reads += times * (later.reads - earlier.reads);
            wouldBlocks += times * (later.wouldBlocks - earlier.wouldBlocks);
            polls += times * (later.polls - earlier.polls);
            pollTimeouts += times * (later.pollTimeouts - earlier.pollTimeouts);
            beats += times * (later.beats - earlier.beats);
        }
    }

    static class StrategyConverter implements ITypeConverter<Strategy> {
        @Override
        public Strategy convert(String text) {
            for (Strategy strategy : Strategy.values()) {
                if (strategy.toString().equals(text)) {
                    return strategy;
                }
            }
            throw new TypeConversionException("'" + text + "' is not blocking, nonblocking or poll");
        }
    }

    /** Like a duration, but never 0. */
    static class PeriodConverter extends DurationConverter {
        @Override
        public Long convert(String text) {
            long nanos = super.convert(text);
            if (nanos == 0) {
                throw new TypeConversionException("'" + text + "' must be longer");
            }
            return nanos;
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
}
