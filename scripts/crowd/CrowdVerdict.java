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
            whole.stream().filter(run -> run.readers() < most.get(0).readers() && run.stuck() == most.get(0).stuck())
                    .map(Run::readers).min(Integer::compare).map(this::scale).filter(text -> !text.isEmpty())
                    .ifPresent(sentences::add);
            if (most.stream().anyMatch(run -> run.delivery().served() > 0)) {
                sentences.add("Every byte arrived in order at each reader that was served.");
            }
        }
        return sentences;
    }

    private String served() {
        Run any = most.get(0);
        return (any.stuck() == 0 ? "All of " + any.readers() + " readers read: "
                : "Of " + any.readers() + " readers, " + any.stuck()
                + (any.stuck() == 1 ? " never reads" : " never read") + "; of the " + healthy(any) + " others ")
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
                : " until it is stopped after " + Units.fixed(run.delivery().stoppedSeconds(), 3) + " s"));
    }

    private String costs() {
        return "Threads, most memory and CPU time: " + most.stream().map(run -> run.way() + " " + run.cost().threads()
                + ", " + Units.fixed(run.cost().peakMemory() / 1048576.0, 0) + " MiB, "
                + Units.fixed(run.cost().user().add(run.cost().system()), 2) + " s").collect(Collectors.joining("; "))
                + ".";
    }

    /** The rates in relation to those with fewer readers; empty if no way has both. */
    private String scale(int few) {
        String ratios = most.stream().filter(run -> run.delivery().bytesPerSecond() != null)
                .flatMap(run -> whole.stream().filter(other -> other.way().equals(run.way()) && other.readers() == few
                        && other.delivery().bytesPerSecond() != null)
                        .map(other -> run.way() + " " + Units.fixed((double) run.delivery().bytesPerSecond()
                                / other.delivery().bytesPerSecond(), 2))).collect(Collectors.joining(", "));
        return ratios.isEmpty() ? "" : "Bytes a second to all " + most.get(0).readers()
                + " readers, as a multiple of those to " + few + ": " + ratios + ".";
    }
}
