package options;

import cli.Errors;
import cli.Units;
import java.util.Objects;
import java.util.stream.Stream;
import kernel.Faults;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The faults of faulty-receiver that are a matter of time alone, of which the kernel model can speak. */
public final class Delays {
    @Option(names = "--first-read-delay", paramLabel = "DURATION", defaultValue = "0s",
            converter = Units.Duration.class,
            description = "The receiver waits before its first read (default: ${DEFAULT-VALUE}).")
    public long firstReadDelay;
    @Option(names = "--stall-after", paramLabel = "SIZE", converter = Units.Size.class,
            description = "It stalls once, after SIZE bytes.")
    public Long stallAfter;
    @Option(names = "--stall-every", paramLabel = "SIZE", converter = Units.Size.class,
            description = "It stalls after each SIZE bytes.")
    public Long stallEvery;
    @Option(names = "--stall-period", paramLabel = "DURATION", converter = Units.Period.class,
            description = "It stalls each time that DURATION has passed.")
    public Long stallPeriod;
    @Option(names = "--resume-after", paramLabel = "DURATION", converter = Units.Duration.class,
            description = "How long a stall lasts; without it one after --stall-after lasts for good.")
    public Long resumeAfter;

    /** Refuses options that do not go together. */
    public void check(CommandSpec spec) {
        long stalls = Stream.of(stallAfter, stallEvery, stallPeriod).filter(Objects::nonNull).count();
        Errors.check(spec, stallEvery == null || stallEvery > 0,
                "Invalid value for option '--stall-every': '" + stallEvery + "' is not a size of 1 or more");
        Errors.check(spec, stalls <= 1, "--stall-after, --stall-every and --stall-period exclude each other");
        Errors.check(spec, resumeAfter == null || stalls == 1,
                "--resume-after needs --stall-after, --stall-every or --stall-period");
        Errors.check(spec, resumeAfter != null || stallEvery == null && stallPeriod == null,
                "--stall-every and --stall-period need --resume-after");
    }

    /** A stall from which it never reads on. */
    public boolean isForGood() {
        return stallAfter != null && resumeAfter == null;
    }

    /** The same for the kernel model, unless one is for good. */
    public Faults faults() {
        return new Faults(firstReadDelay, stallAfter, stallEvery, stallPeriod, resumeAfter == null ? 0 : resumeAfter);
    }
}
