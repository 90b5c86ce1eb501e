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
//SOURCES fan-out-sender.java
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
//SOURCES results/ManyReaders.java
//SOURCES results/Markdown.java
//SOURCES results/OneLine.java
//SOURCES results/OutputFile.java
//SOURCES results/ReadersFile.java
//SOURCES options/Delays.java
//SOURCES options/Exports.java
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
//SOURCES measure/Rehearsal.java
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
//SOURCES crowd/Crowd.java
//RUNTIME_OPTIONS --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1

import cli.Errors;
import cli.Units;
import crowd.Crowd;
import crowd.WriterProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
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
import options.Exports;
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
 * <p>With {@code --readers} it compares how one writer serves many readers, some of which are stuck.
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
            description = "Stop a run that takes longer (default: ten times what is expected, at least 30s; with"
                    + " --readers 5s, or what all bytes take at 100 MB/s).")
    Long deadline;
    @Mixin
    Exports exports;
    @Mixin
    Crowd crowd;
    @Spec
    CommandSpec spec;

    public static void main(String... args) {
        System.exit(Errors.run(new Compare(), args));
    }

    @Override
    public Integer call() throws Exception {
        crowd.check(spec);
        List<Candidate> candidates = candidates();
        workload.check(spec);
        faults.check(spec);
        Plan plan = Plan.of(workload, faults, candidates, runs, deadline);
        exports.check(spec, workload.inputs());
        if (crowd.isAsked()) {
            return status(crowd.compare(workload, deadline, exports, MeasuredFanOut.class.getName()));
        }
        candidates.stream().filter(candidate -> candidate.lack() != null).forEach(candidate ->
                System.err.println("compare: " + candidate.name() + " is left out: " + candidate.lack()));
        System.err.println(plan.announcement());
        Experiment experiment = new Experiment(plan, exports.text());
        try {
            experiment.run();
            exports.write(out -> Json.write(experiment.comparison(), out),
                    out -> Csv.write(experiment.comparison().runs(), out),
                    out -> Markdown.write(experiment.header(), experiment.rows(), out));
        } catch (IOException e) {
            experiment.pass();
            throw e;
        }
        return status(experiment.isGood());
    }

    private static int status(boolean good) {
        return good ? ExitCode.OK : ExitCode.SOFTWARE;
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

/** The process in which many readers are served: in one loop by the strategy of fan-out-sender. */
class MeasuredFanOut {
    public static void main(String... args) throws InterruptedException {
        System.exit(WriterProcess.run((server, input, readers, size, keep) ->
                FanOutSender.fanOut(server, input, new FanOutSender.Ring(keep),
                        new FanOutSender.Rules(readers, size, FanOutSender.Lag.drop, Long.MAX_VALUE),
                        (reader, event, bytes) -> { }), args));
    }
}
