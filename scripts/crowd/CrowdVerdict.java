package crowd;

import cli.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import results.ManyReaders.Run;

/** What the figures say, in sentences. */
final class CrowdVerdict {
    private final List<Run> whole;
    private final List<Run> most;

    CrowdVerdict(List<Run> runs) {
        whole = runs.stream().filter(run -> run.error() == null).toList();
        int readers = whole.stream().mapToInt(Run::readers).max().orElse(0);
        most = whole.stream().filter(run -> run.readers() == readers).toList();
    }

    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        if (!most.isEmpty()) {
            sentences.add(served());
            if (most.get(0).cost().threads() != null) {
                sentences.add(costs());
            }
            String scale = most.stream().map(this::scale).filter(text -> !text.isEmpty())
                    .collect(Collectors.joining(", "));
            if (!scale.isEmpty()) {
                sentences.add("Bytes a second to all, of those to fewer readers: " + scale + ".");
            }
            sentences.add("Every byte arrived in order at each reader that was served.");
        }
        return sentences;
    }

    private String served() {
        Run any = most.get(0);
        return (any.stuck() == 0 ? "All of " + any.readers() + " readers read: "
                : "Of " + any.readers() + " readers, " + any.stuck() + (any.stuck() == 1 ? " never reads" : " never read")
                + "; of the " + healthy(any) + " others ")
                + most.stream().map(CrowdVerdict::served).collect(Collectors.joining(", ")) + ".";
    }

    private static int healthy(Run run) {
        return run.readers() - run.stuck();
    }

    private static boolean servedAll(Run run) {
        return run.delivery().served() == healthy(run);
    }

    private static String served(Run run) {
        return run.way() + " serves " + (servedAll(run)
                ? "all in " + Units.fixed(run.delivery().servedSeconds(), 3) + " s"
                : run.delivery().served() + (run.delivery().stoppedSeconds() == null ? " and loses the rest"
                : " and was stopped after " + Units.fixed(run.delivery().stoppedSeconds(), 1) + " s"));
    }

    private String costs() {
        return "It takes " + most.stream().map(run -> run.way() + " " + run.cost().threads() + " threads, "
                + Units.fixed(run.cost().peakMemory() / 1048576.0, 0) + " MiB and "
                + Units.fixed(run.cost().user().add(run.cost().system()), 2) + " s of CPU")
                .collect(Collectors.joining("; ")) + ".";
    }

    /** The rate in relation to that with the fewest readers of which as many are stuck; empty if there is none. */
    private String scale(Run run) {
        Run few = whole.stream().filter(other -> other.way().equals(run.way()) && other.stuck() == run.stuck())
                .filter(other -> other.readers() < run.readers() && other.delivery().bytesPerSecond() != null)
                .findFirst().orElse(null);
        return few == null || run.delivery().bytesPerSecond() == null ? "" : run.way() + " "
                + Units.fixed((double) run.delivery().bytesPerSecond() / few.delivery().bytesPerSecond(), 2)
                + " (" + few.readers() + " readers)";
    }
}
