///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Run the senders, and any other program, against a slow or faulty receiver and compare them
//JAVA 17+
//MAIN Compare
//DEPS info.picocli:picocli:4.7.7
//DEPS com.google.code.gson:gson:2.13.2
//DEPS com.github.freva:ascii-table:1.8.0
//DEPS me.tongfei:progressbar:0.10.1
//SOURCES faulty-receiver.java
//SOURCES blocking-sender.java
//SOURCES nonblocking-sender.java
//SOURCES poll-sender.java
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
//SOURCES results/Comparison.java
//SOURCES results/Csv.java
//SOURCES results/Event.java
//SOURCES results/Events.java
//SOURCES results/Json.java
//SOURCES results/Markdown.java
//SOURCES results/OutputFile.java
//SOURCES options/Delays.java
//SOURCES options/StrategyName.java
//SOURCES options/Transfer.java
//SOURCES measure/Candidate.java
//SOURCES measure/Children.java
//SOURCES measure/Connecting.java
//SOURCES measure/CpuClock.java
//SOURCES measure/End.java
//SOURCES measure/EventLog.java
//SOURCES measure/Experiment.java
//SOURCES measure/Faults.java
//SOURCES measure/Forecast.java
//SOURCES measure/Heartbeat.java
//SOURCES measure/Log.java
//SOURCES measure/Logs.java
//SOURCES measure/Measured.java
//SOURCES measure/Meter.java
//SOURCES measure/Payload.java
//SOURCES measure/Plan.java
//SOURCES measure/Progress.java
//SOURCES measure/ReceiverSide.java
//SOURCES measure/RunUnderWay.java
//SOURCES measure/Runner.java
//SOURCES measure/Send.java
//SOURCES measure/SenderProcess.java
//SOURCES measure/SenderSide.java
//SOURCES measure/Summary.java
//SOURCES measure/Table.java
//SOURCES measure/Task.java
//SOURCES measure/Terminal.java
//SOURCES measure/Verdict.java
//SOURCES measure/VirtualThreads.java
//SOURCES measure/Watchdog.java
//SOURCES measure/Workload.java
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1

import cli.Errors;
import cli.FileName;
import cli.Units;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import kernel.Strategy;
import measure.Candidate;
import measure.Experiment;
import measure.Faults;
import measure.Plan;
import measure.Send;
import measure.SenderProcess;
import measure.Workload;
import options.StrategyName;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import results.Csv;
import results.Json;
import results.Markdown;
import results.OutputFile;

/**
 * Runs the senders, one after another, each against a receiver of its own, and shows side by side what they did: times,
 * writes, CPU, missed heartbeats, and whether the data arrived. Any other program can be a sender too
 * ({@code --command}), and the receiver can fail ({@code --stall-after} and so on). On Linux, what the kernel model
 * predicts stands below what was measured.
 *
 * <p>Receiver and sender are processes of their own in a private directory, and the figures are made from what these
 * two report. CPU of the sending thread is the sender's own figure; that of the whole process, JVM start-up included,
 * is what the operating system counts for it and for the children that it waited for.
 * Usage: {@code jbang compare.java}, {@code jbang compare.java --interval 1s --export-json runs.json}.
 *
 * <p>Limits: a command's times begin when it connects, and its writes and heartbeats are not seen. Where there is no
 * setsid(1), a compare that is killed by SIGKILL leaves its children behind.
 */
@Command(name = "compare", version = "compare 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Runs the senders, and any other program, against a slow or faulty receiver and compares them.")
class Compare implements Callable<Integer> {
    @Option(names = "--sender", paramLabel = "NAME", converter = StrategyName.class,
            description = "blocking, nonblocking, poll or virtual; may be repeated (default: all that the JDK has).")
    Set<Strategy> strategies = new LinkedHashSet<>();
    @Option(names = "--command", paramLabel = "NAME=COMMAND", converter = Candidate.NamedCommand.class,
            description = "Also compare a shell command that connects, sends and closes; may be repeated. {socket}"
                    + " becomes the path of the socket, slow_receiver.sock in the command's working directory.")
    List<Candidate> commands = new ArrayList<>();
    @Option(names = "--runs", paramLabel = "N", defaultValue = "1", converter = Units.Count.class,
            description = "Runs of each sender; the table shows medians (default: ${DEFAULT-VALUE}).")
    int runs;
    @Mixin
    Workload workload;
    @Mixin
    Faults faults;
    @Option(names = "--deadline", paramLabel = "DURATION", converter = Units.Period.class,
            description = "Stop a run that takes longer (default: ten times what is expected, at least 30s).")
    Long deadline;
    @Option(names = "--export-json", paramLabel = "FILE", converter = FileName.class,
            description = "Write settings, figures and events to FILE; -: to standard output, and the table to standard"
                    + " error.")
    Path exportJson;
    @Option(names = "--export-csv", paramLabel = "FILE", converter = FileName.class,
            description = "Write the figures of each run to FILE, or -.")
    Path exportCsv;
    @Option(names = "--export-markdown", paramLabel = "FILE", converter = FileName.class,
            description = "Write the table to FILE, or -.")
    Path exportMarkdown;
    @Spec
    CommandSpec spec;

    public static void main(String... args) {
        System.exit(Errors.run(new Compare(), args));
    }

    @Override
    public Integer call() throws Exception {
        List<Candidate> candidates = candidates();
        workload.check(spec);
        faults.check(spec);
        Plan plan = Plan.of(workload, faults, candidates, runs, deadline);
        OutputFile json = output(exportJson, "--export-json");
        OutputFile csv = output(exportCsv, "--export-csv");
        OutputFile markdown = output(exportMarkdown, "--export-markdown");
        checkApart(json, csv, markdown);
        candidates.stream().filter(candidate -> candidate.lack() != null).forEach(candidate ->
                System.err.println("compare: " + candidate.name() + " is left out: " + candidate.lack()));
        System.err.println(plan.announcement());
        boolean toOutput = Stream.of(json, csv, markdown).anyMatch(file -> file != null && file.isStandardOutput());
        Experiment experiment = new Experiment(plan, toOutput ? System.err : System.out);
        try {
            experiment.run();
            write(json, out -> Json.write(experiment.comparison(), out));
            write(csv, out -> Csv.write(experiment.comparison().runs(), out));
            write(markdown, out -> Markdown.write(experiment.header(), experiment.rows(), out));
        } catch (IOException e) {
            experiment.pass();
            throw e;
        }
        return experiment.isGood() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private List<Candidate> candidates() {
        List<Candidate> candidates = Stream.concat(Arrays.stream(Strategy.values())
                .filter(strategy -> strategies.isEmpty() || strategies.contains(strategy)).map(Candidate::of),
                commands.stream()).toList();
        Set<String> names = new HashSet<>();
        candidates.forEach(candidate -> Errors.check(spec, names.add(candidate.name()),
                "--command: the name " + candidate.name() + " is taken"));
        Errors.check(spec, candidates.stream().anyMatch(candidate -> candidate.lack() == null),
                "--sender: " + candidates.get(0).name() + " cannot run here: " + candidates.get(0).lack());
        return candidates;
    }

    private OutputFile output(Path file, String option) throws IOException {
        return file == null ? null : OutputFile.of(file, option, workload.inputs());
    }

    private void checkApart(OutputFile... files) throws IOException {
        List<OutputFile> given = Stream.of(files).filter(Objects::nonNull).toList();
        for (int i = 1; i < given.size(); i++) {
            for (OutputFile before : given.subList(0, i)) {
                Errors.check(spec, !given.get(i).isSameAs(before), "two exports go to the same file");
            }
        }
    }

    private static void write(OutputFile file, OutputFile.Text text) throws IOException {
        if (file != null) {
            file.writeText(text);
        }
    }
}

/** The process in which a sender is measured: the strategies of the exemplars, called as anybody would call them. */
class MeasuredSender {
    public static void main(String... args) throws InterruptedException {
        System.exit(SenderProcess.run(args[0], MeasuredSender::strategy));
    }

    /** In a virtual thread the strategy is that of the blocking sender, to the letter. */
    private static Send strategy(Strategy strategy) {
        return switch (strategy) {
            case BLOCKING, VIRTUAL -> (channel, source, wrote, otherWork) ->
                    BlockingSender.send(channel, source::next, wrote);
            case NONBLOCKING -> (channel, source, wrote, otherWork) ->
                    NonblockingSender.send(channel, source::next, wrote, otherWork);
            case POLL -> (channel, source, wrote, otherWork) ->
                    PollSender.send(channel, source::next, wrote, otherWork);
        };
    }
}
