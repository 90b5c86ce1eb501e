package measure;

import cli.Errors;
import cli.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import options.Delays;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What the reader of a comparison does wrong: the faults of faulty-receiver, and what the model says of them. */
public class Faults {
    @Mixin
    Delays delays;
    @Option(names = "--jitter", paramLabel = "DURATION", converter = Units.Period.class,
            description = "It pauses for a random time more after each read, up to DURATION.")
    Long jitter;
    @Option(names = "--seed", paramLabel = "N", converter = Units.Whole.class,
            description = "The sequence of --jitter (default: 0).")
    Integer seed;
    @Option(names = "--close-after", paramLabel = "SIZE", converter = Units.Size.class,
            description = "It closes the connection after SIZE bytes.")
    Long closeAfter;
    @Option(names = "--shutdown-input-after", paramLabel = "SIZE", converter = Units.Size.class,
            description = "It shuts down its input after SIZE bytes, but stays connected.")
    Long shutdownInputAfter;
    @Option(names = "--restart-after", paramLabel = "SIZE", converter = Units.Size.class,
            description = "It is gone after SIZE bytes, as if killed, and listens again after --down.")
    Long restartAfter;
    @Option(names = "--down", paramLabel = "DURATION", converter = Units.Duration.class,
            description = "How long it is gone (default: 1s).")
    Long down;
    @Option(names = "--echo", description = "It writes back what it has read.")
    boolean echo;
    @Option(names = "--never-accept", description = "It listens, but accepts no connection.")
    boolean neverAccept;

    /** Refuses combinations that make no sense. */
    public void check(CommandSpec spec) {
        delays.check(spec);
        Errors.check(spec, seed == null || jitter != null, "--seed needs --jitter");
        Errors.check(spec, down == null || restartAfter != null, "--down needs --restart-after");
        Long stallForGood = delays.isForGood() ? delays.stallAfter : null;
        long ends = Stream.of(stallForGood, closeAfter, shutdownInputAfter, restartAfter)
                .filter(Objects::nonNull).count();
        Errors.check(spec, ends <= 1, "one fault can end a connection: --stall-after without --resume-after,"
                + " --close-after, --shutdown-input-after or --restart-after");
        Errors.check(spec, !neverAccept || arguments().size() == 1, "--never-accept does not go with other faults");
    }

    /** The options of faulty-receiver for these faults. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        addDuration(arguments, "--first-read-delay=", delays.firstReadDelay == 0 ? null : delays.firstReadDelay);
        addDuration(arguments, "--jitter=", jitter);
        add(arguments, "--seed=", seed);
        add(arguments, "--stall-after=", delays.stallAfter);
        add(arguments, "--stall-every=", delays.stallEvery);
        addDuration(arguments, "--stall-period=", delays.stallPeriod);
        addDuration(arguments, "--resume-after=", delays.resumeAfter);
        add(arguments, "--close-after=", closeAfter);
        add(arguments, "--shutdown-input-after=", shutdownInputAfter);
        add(arguments, "--restart-after=", restartAfter);
        addDuration(arguments, "--down=", down);
        add(arguments, "--echo", echo ? "" : null);
        add(arguments, "--never-accept", neverAccept ? "" : null);
        return arguments;
    }

    private static void add(List<String> arguments, String option, Object value) {
        if (value != null) {
            arguments.add(option + value);
        }
    }

    private static void addDuration(List<String> arguments, String option, Long nanos) {
        add(arguments, option, nanos == null ? null : Units.duration(nanos));
    }

    boolean any() {
        return !arguments().isEmpty();
    }

    /** Whether bytes may stay unread for good, or the connection ends before they are read. */
    boolean losesBytes() {
        return delays.isForGood() || closeAfter != null || shutdownInputAfter != null
                || restartAfter != null || neverAccept || echo;
    }

    /** The receiver does not end by itself after the one connection of a run. */
    boolean outlastsTheRun() {
        return restartAfter != null || neverAccept;
    }

    /** The same for the kernel model; null where it does not speak of them. */
    kernel.Faults predictable() {
        return losesBytes() || jitter != null ? null : delays.faults();
    }
}
