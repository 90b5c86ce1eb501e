package crowd;

import cli.Errors;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import measure.Children;
import measure.End;
import measure.Terminal;
import results.Comparison;
import results.ManyReaders;
import results.ManyReaders.Run;

/** Runs each way with each number of readers. At every end, also by a signal, it leaves nothing and reports. */
final class CrowdExperiment {
    private final Plan plan;
    private final PrintStream text;
    private final Children children = new Children();
    private final End end = new End();
    private final List<Run> finished = new ArrayList<>();
    private boolean reported;

    /** @param text where the report goes */
    CrowdExperiment(Plan plan, PrintStream text) throws IOException {
        this.plan = plan;
        this.text = text;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end.begin(this::cleanUp)));
    }

    /** @param writerClass whose main calls {@link WriterProcess#run} */
    void run(String writerClass) throws Exception {
        Trial trial = new Trial(plan, children, end, writerClass);
        for (int readers : plan.readers()) {
            for (Way way : plan.ways()) {
                Run run = trial.run(way, readers);
                end.step(() -> finished.add(run));
            }
        }
        end.step(() -> {
            report();
            return null;
        });
    }

    /** An error that is only seen because the end has begun is none: then this never returns. */
    void pass() throws InterruptedException {
        end.pass();
    }

    private void cleanUp() {
        try {
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
            text.println(CrowdTable.text(finished));
            finished.stream().filter(run -> run.error() != null)
                    .map(run -> run.way() + ", " + run.readers() + " readers: " + run.error()).forEach(text::println);
            new CrowdVerdict(finished).sentences().forEach(sentence -> text.print(Terminal.wrap(sentence)));
        }
        reported = true;
    }

    ManyReaders result() {
        kernel.Machine machine = measure.Forecast.localMachine();
        return new ManyReaders(ManyReaders.KIND, ManyReaders.VERSION, Comparison.Machine.local(
                machine == null ? null : machine.pageSize(), machine == null ? null : machine.wmemDefault()),
                plan.settings(), List.copyOf(finished));
    }

    boolean isGood() {
        return finished.stream().allMatch(run -> run.error() == null);
    }
}
