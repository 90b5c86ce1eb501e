package crowd;

//SOURCES Connection.java
//SOURCES CrowdExperiment.java
//SOURCES CrowdTable.java
//SOURCES CrowdVerdict.java
//SOURCES FanOut.java
//SOURCES Pattern.java
//SOURCES Plan.java
//SOURCES ReaderProcess.java
//SOURCES Samples.java
//SOURCES Trial.java
//SOURCES Usage.java
//SOURCES Way.java
//SOURCES WriterProcess.java

import cli.Errors;
import cli.Units;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import measure.Workload;
import options.Exports;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import results.Markdown;
import results.ReadersFile;

/** The options of a comparison with many readers, of one writer that serves them in different ways. */
public class Crowd {
    private static final Set<String> FITTING = Set.of("--readers", "--stuck", "--size", "--chunk", "--deadline",
            "--export-json", "--export-csv", "--export-markdown");

    @Option(names = "--readers", paramLabel = "N", split = ",", converter = Units.Count.class,
            description = "Compare instead how one writer serves N readers: blocking (in a loop), poll (the loop of"
                    + " fan-out-sender), threads and virtual (one for each reader). A list, as 1,10,100, gives a run of"
                    + " each way to each N. Goes with --stuck, --size, --chunk, --deadline and the exports alone.")
    List<Integer> readers = new ArrayList<>();
    @Option(names = "--stuck", paramLabel = "K", defaultValue = "1", converter = Units.Whole.class,
            description = "K of these readers never read, but one always does (default: ${DEFAULT-VALUE}).")
    int stuck;

    public boolean isAsked() {
        return !readers.isEmpty();
    }

    /** Refuses what has no meaning with, or without, many readers. */
    public void check(CommandSpec spec) {
        List<String> given = spec.commandLine().getParseResult().matchedOptions().stream()
                .map(option -> option.longestName()).toList();
        Errors.check(spec, isAsked() || !given.contains("--stuck"), "--stuck goes with --readers alone");
        given.forEach(option -> Errors.check(spec, !isAsked() || FITTING.contains(option),
                option + " does not go with --readers"));
        Errors.check(spec, !isAsked() || !given.contains("--stuck")
                || readers.stream().anyMatch(all -> all > stuck),
                "--stuck: if " + stuck + " never read, nobody of --readers does");
    }

    /**
     * Makes the comparison; whether all of it could be measured.
     *
     * @param deadline of a run in nanoseconds; null: what suits
     * @param writerClass whose main calls {@link WriterProcess#run}
     */
    public boolean compare(Workload workload, Long deadline, Exports exports, String writerClass) throws Exception {
        Plan plan = new Plan(readers.stream().distinct().sorted().toList(), stuck, workload.generated(),
                workload.chunk(), deadline);
        plan.checkDescriptors();
        System.err.println(plan.announcement());
        CrowdExperiment experiment = new CrowdExperiment(plan, exports.text());
        try {
            experiment.run(writerClass);
            exports.write(out -> ReadersFile.write(experiment.result(), out),
                    out -> ReadersFile.writeCsv(experiment.result().runs(), out),
                    out -> Markdown.write(CrowdTable.HEADER, CrowdTable.rows(experiment.result().runs()), out));
        } catch (IOException e) {
            experiment.pass();
            throw e;
        }
        return experiment.isGood();
    }
}
