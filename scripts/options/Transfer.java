package options;

import cli.Errors;
import cli.FileName;
import cli.Units;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What is sent, in which pieces, and how it is read; in bytes and nanoseconds. */
public final class Transfer {
    @Option(names = {"-n", "--size"}, paramLabel = "SIZE", converter = Units.Size.class,
            description = "Bytes to generate and send (default: 1m).")
    public Long size;
    @Option(names = {"-i", "--input"}, paramLabel = "FILE", converter = FileName.class,
            description = "Send FILE instead.")
    public Path input;
    @Option(names = "--chunk", paramLabel = "SIZE", defaultValue = "1m", converter = Units.BufferSize.class,
            description = "The sender's buffer, and the most bytes offered to one write (default: ${DEFAULT-VALUE}).")
    public long chunk;
    @Option(names = "--sndbuf", paramLabel = "SIZE", converter = Units.BufferSize.class,
            description = "SO_SNDBUF to request; Linux doubles it (default: the system's).")
    public Long sndbuf;
    @Option(names = "--give-up", paramLabel = "DURATION", converter = Units.Period.class,
            description = "The sender fails when nothing could be written for so long (default: never).")
    public Long giveUp;
    @Option(names = "--timeout", paramLabel = "DURATION", defaultValue = "3s", converter = Units.Period.class,
            description = "Longest single wait of the poll sender (default: ${DEFAULT-VALUE}).")
    public long timeout;
    @Option(names = {"-r", "--read-size"}, paramLabel = "SIZE", defaultValue = "20k",
            converter = Units.BufferSize.class,
            description = "Most bytes taken by one read of the receiver (default: ${DEFAULT-VALUE}).")
    public long readSize;

    /** Refuses options that do not go together. */
    public void check(CommandSpec spec) {
        Errors.check(spec, size == null || input == null, "--size does not go with --input");
    }

    /** Bytes to generate where no file is sent. */
    public long generated() {
        return size == null ? 1 << 20 : size;
    }
}
