package predictions;

import cli.Errors;
import cli.Units;
import java.util.Objects;
import java.util.stream.Stream;
import kernel.Faults;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The faults of faulty-receiver that the kernel model can speak of, by the options that faulty-receiver has. */
public final class FaultOptions {
    @Option(names = "--first-read-delay", paramLabel = "DURATION", defaultValue = "0s",
            converter = Units.Duration.class,
            description = "The receiver waits before its first read (default: ${DEFAULT-VALUE}).")
    private long firstReadDelay;
    @Option(names = "--stall-after", paramLabel = "SIZE", converter = Units.Size.class,
            description = "It stalls once, after SIZE bytes.")
    private Long stallAfter;
    @Option(names = "--stall-every", paramLabel = "SIZE", converter = Units.Size.class,
            description = "It stalls after each SIZE bytes.")
    private Long stallEvery;
    @Option(names = "--stall-period", paramLabel = "DURATION", converter = Units.Period.class,
            description = "It stalls each time that DURATION has passed.")
    private Long stallPeriod;
    @Option(names = "--resume-after", paramLabel = "DURATION", converter = Units.Duration.class,
            description = "How long a stall lasts.")
    private Long resumeAfter;
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Those asked for; a usage error if they do not go together. */
    public Faults faults() {
        long stalls = Stream.of(stallAfter, stallEvery, stallPeriod).filter(Objects::nonNull).count();
        Errors.check(spec, stallEvery == null || stallEvery > 0,
                "Invalid value for option '--stall-every': '" + stallEvery + "' is not a size of 1 or more");
        Errors.check(spec, stalls <= 1, "--stall-after, --stall-every and --stall-period exclude each other");
        Errors.check(spec, resumeAfter == null || stalls == 1,
                "--resume-after needs --stall-after, --stall-every or --stall-period");
        Errors.check(spec, resumeAfter != null || stalls == 0,
                "a stall needs --resume-after; after one for good there is nothing to predict");
        return new Faults(firstReadDelay, stallAfter, stallEvery, stallPeriod, resumeAfter == null ? 0 : resumeAfter);
    }
}
