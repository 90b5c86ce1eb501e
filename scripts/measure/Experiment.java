package measure;

import cli.Errors;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import results.Comparison;

/**
 * Makes a comparison. At every end, also by a signal, it leaves no process and no file, and reports the runs that are
 * complete.
 */
public final class Experiment {
    private static final int USUAL_COLUMNS = 80;

    private final Plan plan;
    private final PrintStream text;
    private final int columns;
    private final Progress progress;
    private final Children children;
    private final End end = new End();
    private final List<Measured> finished = new ArrayList<>();
    private boolean reported;

    /** @param text where the report goes */
    public Experiment(Plan plan, PrintStream text) throws IOException, InterruptedException {
        this.plan = plan;
        this.text = text;
        int terminal = Terminal.columns(text);
        columns = terminal == 0 ? USUAL_COLUMNS : terminal;
        progress = new Progress(Terminal.progressColumns(), plan.workload().total());
        children = new Children();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end.begin(this::cleanUp)));
    }

    /** Runs every candidate as often as planned, in turn, and reports. */
    public void run() throws Exception {
        Runner runner = new Runner(plan.workload(), plan.faults(), children, end, progress, plan.deadlineSeconds());
        for (int number = 1; number <= plan.runs(); number++) {
            for (Candidate candidate : plan.candidates()) {
                Measured run = runner.measure(candidate, number, plan.forecasts().get(candidate.strategy()));
                end.step(() -> finished.add(run));
            }
        }
        end.step(() -> {
            report();
            return null;
        });
    }

    /** An error that is only seen because the end has begun is none: then this never returns. */
    public void pass() throws InterruptedException {
        end.pass();
    }

    private void cleanUp() {
        try {
            progress.stop();
            children.stop();
            report();
            children.removeDirectory();
        } catch (IOException | UncheckedIOException e) {
            System.err.println("compare: " + Errors.message(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void report() {
        if (!reported && !finished.isEmpty()) {
            text.println(table().text(columns));
            Verdict verdict = new Verdict(plan.workload(), plan.runs(), summaries());
            finished.stream().filter(run -> !run.isComplete() || Boolean.FALSE.equals(run.run().outcome().intact()))
                    .map(run -> verdict.name(run) + ": " + run.problem()).forEach(text::println);
            verdict.sentences().forEach(sentence -> text.print(Terminal.wrap(sentence)));
        }
        reported = true;
    }

    /** The first line of the table, with a cell for each candidate. */
    public List<String> header() {
        return table().header();
    }

    /** The table, with what went wrong. */
    public List<List<String>> rows() {
        return table().rowsWithErrors();
    }

    private Table table() {
        return new Table(summaries(), plan.faults().any());
    }

    private List<Summary> summaries() {
        return plan.candidates().stream().map(candidate -> new Summary(candidate.name(),
                plan.forecasts().get(candidate.strategy()), finished.stream()
                .filter(run -> run.run().who().sender().equals(candidate.name())).toList()))
                .filter(summary -> !summary.runs().isEmpty()).toList();
    }

    /** All that was measured; its events are still in the private directory, until the process ends. */
    public Comparison comparison() {
        return plan.comparison(finished);
    }

    /** Whether each run went well, or as the faults make it go. */
    public boolean isGood() {
        return finished.stream().allMatch(run -> run.isGood(plan.faults()));
    }
}
