///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Predict every write of the four senders from a model of the kernel's send buffer
//JAVA 17+
//MAIN Predict
//DEPS info.picocli:picocli:4.7.7
//DEPS com.google.code.gson:gson:2.13.2
//DEPS com.github.freva:ascii-table:1.8.0
//SOURCES cli/Errors.java
//SOURCES cli/FileName.java
//SOURCES cli/TextTable.java
//SOURCES cli/Units.java
//SOURCES kernel/Architecture.java
//SOURCES kernel/Counts.java
//SOURCES kernel/Explanation.java
//SOURCES kernel/Faults.java
//SOURCES kernel/Heartbeat.java
//SOURCES kernel/KernelModel.java
//SOURCES kernel/Machine.java
//SOURCES kernel/Observer.java
//SOURCES kernel/Prediction.java
//SOURCES kernel/Receiver.java
//SOURCES kernel/Repetition.java
//SOURCES kernel/Search.java
//SOURCES kernel/Sender.java
//SOURCES kernel/Settings.java
//SOURCES kernel/Simulation.java
//SOURCES kernel/Strategy.java
//SOURCES kernel/Sweep.java
//SOURCES kernel/UnpredictableException.java
//SOURCES options/Delays.java
//SOURCES options/StrategyName.java
//SOURCES options/Transfer.java
//SOURCES predictions/Export.java
//SOURCES predictions/MachineOptions.java
//SOURCES predictions/SweepOption.java
//SOURCES predictions/Text.java
//SOURCES results/Comparison.java
//SOURCES results/Event.java
//SOURCES results/Events.java
//SOURCES results/Json.java
//SOURCES results/OutputFile.java
//RUNTIME_OPTIONS -XX:+UseSerialGC

import cli.Errors;
import cli.FileName;
import cli.Units;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import kernel.Architecture;
import kernel.Explanation;
import kernel.Prediction;
import kernel.Search;
import kernel.Settings;
import kernel.Strategy;
import kernel.Sweep;
import kernel.UnpredictableException;
import options.Delays;
import options.StrategyName;
import options.Transfer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import predictions.Export;
import predictions.MachineOptions;
import predictions.SweepOption;
import predictions.Text;
import results.Comparison;
import results.Json;
import results.OutputFile;

/**
 * Predicts what the senders and the slow receiver do with given options: every write with its size and time, the
 * longest stall, the polls and the beats. It runs nothing; it follows the rules by which Linux cuts a write to a unix
 * stream socket into socket buffers, charges, admits and releases them ({@link kernel.KernelModel}), in virtual time.
 *
 * <p>Usage: {@code jbang predict.java --interval 100ms --explain}. The file of {@code --export-json} is what compare
 * writes of real runs, so plot draws it. A program with the sources of kernel/ can call {@link Prediction#of}.
 *
 * <p>Limits: only Linux. Copying takes no time, and a read is over before the sender acts on it, so nothing is said
 * about throughput without pauses, nor about CPU time. In a real run the first read can come while the sender is still
 * filling the queue and find little there, which moves all the rest by at most one interval.
 */
@Command(name = "predict", version = "predict 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Predicts every write of the four senders from a model of the kernel's send buffer.")
class Predict implements Callable<Integer> {
    @Mixin
    Transfer transfer;
    @Option(names = {"-t", "--interval"}, paramLabel = "DURATION", defaultValue = "1s",
            converter = Units.Duration.class,
            description = "The receiver's pause after each read; 0s: none (default: ${DEFAULT-VALUE}).")
    long interval;
    @Mixin
    Delays delays;
    @Option(names = "--heartbeat", paramLabel = "DURATION", converter = Units.Period.class,
            description = "Period of the heartbeat, other work of the sending thread, or of another virtual thread"
                    + " (default: off).")
    Long heartbeat;
    @Option(names = "--strategy", paramLabel = "STRATEGY", converter = StrategyName.class,
            description = "blocking, nonblocking, poll or virtual; may be repeated (default: all).")
    Set<Strategy> strategies = new LinkedHashSet<>();
    @Mixin
    MachineOptions machine;
    @Option(names = "--explain", description = "Also walk through the arithmetic behind the figures.")
    boolean explain;
    @Mixin
    SweepOption sweep;
    @Option(names = "--max-stall", paramLabel = "DURATION", converter = Units.Period.class,
            description = "Find the --sndbuf and --chunk with which a poll sender makes the fewest writes while its"
                    + " longest stall stays under DURATION; one that is given is kept.")
    Long maxStall;
    @Option(names = "--export-json", paramLabel = "FILE", converter = FileName.class,
            description = "Write the runs and their events to FILE, as compare does; -: to standard output, and the"
                    + " text to standard error.")
    Path exportJson;
    @Spec
    CommandSpec spec;

    public static void main(String... args) {
        System.exit(Errors.run(new Predict(), args));
    }

    @Override
    public Integer call() throws IOException, UnpredictableException {
        checkOptions();
        if (sweep.given()) {
            System.out.print(sweepTable());
            return 0;
        }
        OutputFile file = exportJson == null ? null : OutputFile.of(exportJson, "--export-json");
        PrintStream text = file != null && file.isStandardOutput() ? System.err : System.out;
        Settings settings = settings(null);
        tell(settings);
        if (maxStall != null) {
            strategies = EnumSet.of(Strategy.POLL);
            settings = withShortStalls(settings);
            text.println((settings.sndbuf() == null ? "" : "--sndbuf " + settings.sndbuf() + " ")
                    + "--chunk " + settings.chunk());
        }
        List<Prediction> runs = predictions(settings);
        if (file != null) {
            Export.check(runs);
        }
        if (explain) {
            text.println(explanation(settings, runs));
        }
        text.print(Text.table(null, runs.stream().map(run -> new Text.Row(null, run)).toList()));
        if (file != null) {
            Comparison comparison = Export.comparison(settings, transfer.input, machine.isLocal(), runs);
            file.writeText(out -> Json.write(comparison, out));
        }
        return 0;
    }

    private void checkOptions() {
        Errors.check(spec, !sweep.given() || exportJson == null && maxStall == null && !explain,
                "--sweep does not go with --export-json, --max-stall or --explain");
        Errors.check(spec, maxStall == null || strategies.isEmpty() || strategies.equals(EnumSet.of(Strategy.POLL)),
                "--max-stall is for --strategy poll alone");
        transfer.check(spec);
        delays.check(spec);
        Errors.check(spec, !delays.isForGood(),
                "a stall needs --resume-after; after one for good there is nothing to predict");
    }

    private Set<Strategy> strategies() {
        return !strategies.isEmpty() ? strategies : EnumSet.allOf(Strategy.class);
    }

    private List<Prediction> predictions(Settings settings) throws UnpredictableException {
        List<Prediction> predictions = new ArrayList<>();
        for (Strategy strategy : strategies()) {
            predictions.add(Prediction.of(settings, strategy));
        }
        return predictions;
    }

    /** What is asked for. @param architecture instead of the one asked for, or null */
    private Settings settings(Architecture architecture) throws IOException {
        long bytes = transfer.input == null ? transfer.generated() : length(transfer.input);
        return new Settings(machine.machine(architecture), bytes, transfer.chunk, transfer.sndbuf, transfer.readSize,
                interval, heartbeat, transfer.timeout, transfer.giveUp, delays.faults());
    }

    private static long length(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            boolean absent = Files.notExists(file) && !file.toString().equals("-");
            throw Errors.problem(file, absent ? "no such file"
                    : "is not a regular file; give its length with --size");
        }
        return Files.size(file);
    }

    private void tell(Settings settings) {
        Text.notes(settings).forEach(note -> System.err.println(spec.name() + ": " + note));
    }

    private String explanation(Settings settings, List<Prediction> runs) throws UnpredictableException {
        Map<String, String> sentences = new LinkedHashMap<>(Map.of("machine", machine.origins(settings.machine())));
        sentences.putAll(Explanation.of(settings, runs));
        return Text.sentences(sentences);
    }

    /** Rows for each value: what the same command line predicts with the option set to that value. */
    private String sweepTable() throws IOException, UnpredictableException {
        Map<String, Settings> settings = sweep.settings(this::settings);
        settings.values().forEach(this::tell);
        List<Sweep.Row<String>> rows = Sweep.over(settings.keySet(), settings::get, EnumSet.copyOf(strategies()));
        return Text.table(sweep.option(), rows.stream()
                .map(row -> new Text.Row(row.value(), row.prediction())).toList());
    }

    private Settings withShortStalls(Settings asked) throws IOException {
        Search.Result found = Search.shortStalls(asked, maxStall,
                spec.commandLine().getParseResult().hasMatchedOption("--chunk"));
        if (found.settings() == null) {
            throw Errors.problem("--max-stall", "not possible: only a read makes room, and the reader pauses "
                    + Text.time(asked.interval()) + " after each; of the " + found.tried()
                    + " pairs of --sndbuf and --chunk tried, the best has a longest stall of "
                    + (found.shortest() == null ? "unknown length" : Text.time(found.shortest())));
        }
        return found.settings();
    }
}
