package measure;

import cli.Units;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import kernel.Machine;
import kernel.Strategy;
import options.Transfer;
import results.Comparison;

/**
 * A comparison that is about to be made.
 *
 * @param runs of each candidate
 * @param deadline of a run in nanoseconds; null: what suits the expectation
 * @param machine as the kernel model needs it; null where that is not to be found out
 */
public record Plan(Workload workload, Faults faults, List<Candidate> candidates, int runs, Long deadline,
        Machine machine, Map<Strategy, Forecast> forecasts) {
    /** Bytes per second that any machine moves without pauses. */
    private static final double LEAST_THROUGHPUT = 100e6;
    private static final double LEAST_DEADLINE = 30;
    /** Longest deadline in seconds, about thirty years: it can be counted in nanoseconds. */
    private static final double MOST_SECONDS = 1e9;

    /** Looks at what is to be sent, and asks the kernel model; a candidate that lacks something is left out. */
    public static Plan of(Workload workload, Faults faults, List<Candidate> candidates, int runs, Long deadline)
            throws IOException {
        workload.measureInput();
        Machine machine = Forecast.localMachine();
        List<Candidate> able = candidates.stream().filter(candidate -> candidate.lack() == null).toList();
        return new Plan(workload, faults, able, runs, deadline, machine,
                Forecast.of(workload, faults, machine, able));
    }

    private double expectedSeconds() {
        return forecasts.values().stream().mapToDouble(forecast -> forecast.prediction().closed() / 1e9).max()
                .orElse(workload.readingSeconds());
    }

    double deadlineSeconds() {
        double expected = Math.max(expectedSeconds(), workload.total() / LEAST_THROUGHPUT);
        return Math.min(MOST_SECONDS, deadline != null ? deadline / 1e9 : Math.max(LEAST_DEADLINE, 10 * expected));
    }

    /** What will be run, and how long that takes, in lines. */
    public String announcement() {
        String names = candidates.stream().map(Candidate::name).collect(Collectors.joining(", "));
        double each = expectedSeconds();
        return Terminal.wrap(names + (candidates.size() > 1 ? ", one after another" : "")
                + (runs > 1 ? ", " + runs + " times" : "") + ": " + Units.size(workload.total())
                + " to a receiver that takes at most " + Units.size(workload.transfer.readSize)
                + (workload.interval == 0 ? " at a time without a pause; as fast as it goes, at most "
                + Units.fixed(deadlineSeconds(), 1) + " s a run."
                : " every " + Units.plainSeconds(workload.interval) + " s; by these settings "
                + Units.fixed(each, 1) + " s a run, " + Units.fixed(each * runs * candidates.size(), 1)
                + " s in all."));
    }

    Comparison.Settings settings() {
        Transfer transfer = workload.transfer;
        return new Comparison.Settings(workload.total(), transfer.input == null ? null : transfer.input.toString(),
                transfer.chunk, transfer.sndbuf, transfer.readSize, Units.plainSeconds(workload.interval),
                workload.heartbeat == 0 ? null : Units.plainSeconds(workload.heartbeat),
                Units.plainSeconds(transfer.timeout),
                transfer.giveUp == null ? null : Units.plainSeconds(transfer.giveUp),
                Units.plainSeconds(workload.connectTimeout), runs,
                new BigDecimal(Units.fixed(deadlineSeconds(), 3)));
    }

    Comparison comparison(List<Measured> finished) {
        return new Comparison(Comparison.MEASURED, Comparison.VERSION,
                Comparison.Machine.local(machine == null ? null : machine.pageSize(),
                        machine == null ? null : machine.wmemDefault()),
                settings(), finished.stream().map(Measured::run).toList());
    }
}
