package measure;

import cli.Units;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import kernel.Machine;
import kernel.Prediction;
import kernel.Strategy;

/** What the figures say, in sentences. */
final class Verdict {
    /** Of what is delivered first and last, so much is the same. */
    private static final double SAME = 0.05;

    private final Workload workload;
    private final int runs;
    private final List<Measured> all;
    private final List<Summary> whole;

    /** @param runs of each; more than one are told apart */
    Verdict(Workload workload, int runs, List<Summary> summaries) {
        this.workload = workload;
        this.runs = runs;
        all = summaries.stream().flatMap(summary -> summary.runs().stream()).toList();
        whole = summaries.stream().filter(summary -> summary.runs().stream().allMatch(Verdict::isWhole)).toList();
    }

    private static boolean isWhole(Measured run) {
        return run.isComplete() && !Boolean.FALSE.equals(run.run().outcome().intact());
    }

    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        if (whole.size() > 1 && workload.total() > 0) {
            sentences.add(workload.interval > 0 ? delivery() : throughput());
        }
        List<Summary> threads = whole.stream().filter(summary -> summary.cpu() != null).toList();
        if (threads.size() > 1 && workload.total() > 0) {
            sentences.add(cost(threads));
        }
        if (workload.heartbeat > 0 && !threads.isEmpty()) {
            sentences.add(heartbeats(threads));
        }
        List<Measured> predicted = all.stream().filter(run -> run.isComplete() && run.forecast() != null).toList();
        if (!predicted.isEmpty()) {
            sentences.add(deviations(predicted));
        }
        if (all.stream().allMatch(Verdict::isWhole)) {
            sentences.add(arrival());
        }
        return sentences;
    }

    /** The name of a run in the sentences and before its problem. */
    String name(Measured run) {
        return run.run().who().sender() + (runs > 1 ? " (run " + run.run().who().run() + ")" : "");
    }

    private String delivery() {
        Summary first = least(whole, Summary::delivered);
        Summary last = least(whole, summary -> summary.delivered().negate());
        boolean same = last.delivered().subtract(first.delivered()).doubleValue()
                <= Math.max(workload.interval / 1e9, SAME * last.delivered().doubleValue());
        return same ? "The receiver sets the pace: whoever sends, all is delivered after "
                + Units.fixed(last.delivered(), 2) + " s."
                : first.name() + " has everything delivered first, after " + Units.fixed(first.delivered(), 2) + " s, "
                + last.name() + " last, after " + Units.fixed(last.delivered(), 2) + " s.";
    }

    private String throughput() {
        Summary fastest = least(whole, Summary::delivered);
        return "Delivered per second" + (runs == 1 ? "" : ", medians") + ": " + whole.stream()
                .sorted(Comparator.comparing(Summary::delivered)).map(summary -> summary.name() + " "
                        + Units.fixed(workload.total() / 1048576.0 / summary.delivered().doubleValue(), 1) + " MiB"
                        + (summary == fastest ? "" : " (" + ratio(fastest.delivered(), summary.delivered()) + ")"))
                .collect(Collectors.joining(", ")) + ".";
    }

    private static String ratio(BigDecimal a, BigDecimal b) {
        return Units.fixed(a.doubleValue() / b.doubleValue(), 2);
    }

    private static String cost(List<Summary> threads) {
        Summary first = least(threads, Summary::accepted);
        Summary cheapest = least(threads, Summary::cpu);
        BigDecimal earlier = cheapest.accepted().subtract(first.accepted());
        String sentence = first == cheapest ? first.name() + " has everything accepted first, and its thread uses"
                + " the least CPU, " + Units.fixed(first.cpu(), 2) + " s."
                : first.name() + " has everything accepted " + Units.fixed(earlier, 2) + " s before "
                + cheapest.name() + "; for that its thread uses " + Units.fixed(first.cpu(), 2)
                + " s of CPU instead of " + Units.fixed(cheapest.cpu(), 2) + " s.";
        return cheapest.cpu().compareTo(Table.CPU_RESOLUTION) >= 0 ? sentence : sentence
                + " (The system counts in steps of 0.01 s; less than " + Table.CPU_RESOLUTION
                + " s is taken as that much.)";
    }

    private String heartbeats(List<Summary> threads) {
        return "Other work in the same thread, due every " + Units.plainSeconds(workload.heartbeat) + " s: "
                + threads.stream().map(Verdict::heartbeat).collect(Collectors.joining("; ")) + ".";
    }

    private static String heartbeat(Summary summary) {
        BigDecimal missed = summary.median(run -> run.run().beats().beatsDue() - run.run().beats().beatsRun());
        String due = Units.fixed(summary.median(run -> run.run().beats().beatsDue()), 0);
        boolean beside = Strategy.VIRTUAL.toString().equals(summary.runs().get(0).run().who().strategy());
        return summary.name() + (beside ? ", in another virtual thread on its carrier," : "") + " missed "
                + (missed.signum() == 0 ? "none" : Units.fixed(missed, 0) + " of " + due)
                + ", at worst " + Units.fixed(summary.median(run -> run.run().beats().beatWorst()), 3) + " s late";
    }

    private String deviations(List<Measured> predicted) {
        String writes = predicted.stream().filter(run -> run.deviation() != null)
                .map(run -> String.format(run.deviation(), name(run))).collect(Collectors.joining("; "));
        boolean counted = predicted.stream()
                .anyMatch(run -> run.forecast().writes().size() < run.run().calls().writes());
        Measured worst = predicted.stream().max(Comparator.comparing(run -> delay(run).abs())).orElseThrow();
        return (!writes.isEmpty() ? "Not as the kernel model predicts: " + writes
                : "The kernel model predicts " + (counted ? "how many writes there are" : "every write to the byte"))
                + "; the times differ most for " + name(worst) + ", by " + Units.fixed(delay(worst), 3) + " s."
                + (writes.isEmpty() ? "" : " (It was checked against Linux " + Machine.MEASURED + ".)");
    }

    /** Seconds by which the data was accepted or delivered later than predicted, whichever differs more. */
    private static BigDecimal delay(Measured run) {
        Prediction prediction = run.forecast().prediction();
        BigDecimal accepting = run.run().times().acceptedSeconds()
                .subtract(Units.plainSeconds(prediction.acceptedTime()));
        BigDecimal delivering = run.run().times().deliveredSeconds()
                .subtract(Units.plainSeconds(prediction.deliveredTime()));
        return accepting.abs().compareTo(delivering.abs()) > 0 ? accepting : delivering;
    }

    private String arrival() {
        String counted = whole.stream().filter(summary -> summary.runs().get(0).run().outcome().intact() == null)
                .map(Summary::name).collect(Collectors.joining(", "));
        return counted.isEmpty() ? "Every byte arrived intact."
                : "Every byte arrived; which bytes " + counted + " should have sent is known only with --input.";
    }

    private static Summary least(List<Summary> summaries, Function<Summary, BigDecimal> figure) {
        return summaries.stream().min(Comparator.comparing(figure)).orElseThrow();
    }
}
