package measure;

import cli.Errors;
import cli.FileName;
import cli.Units;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import kernel.Machine;
import kernel.Settings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What every sender of a comparison is to send, how, and to which reader; in bytes and nanoseconds. */
public class Workload {
    @Option(names = {"-n", "--size"}, paramLabel = "SIZE", converter = Units.Size.class,
            description = "Bytes that each sender generates and sends (default: 1m).")
    Long size;
    @Option(names = {"-i", "--input"}, paramLabel = "FILE", converter = FileName.class,
            description = "Send FILE instead; a command has to send it too, and what arrives of it is checked.")
    Path input;
    @Option(names = "--chunk", paramLabel = "SIZE", defaultValue = "1m", converter = Units.BufferSize.class,
            description = "The sender's buffer, and the most bytes offered to one write (default: ${DEFAULT-VALUE}).")
    long chunk;
    @Option(names = "--sndbuf", paramLabel = "SIZE", converter = Units.BufferSize.class,
            description = "SO_SNDBUF to request; Linux doubles it (default: the system's).")
    Long sndbuf;
    @Option(names = "--connect-timeout", paramLabel = "DURATION", defaultValue = "0s",
            converter = Units.Duration.class,
            description = "How long a sender keeps trying while no receiver listens (default: ${DEFAULT-VALUE}).")
    long connectTimeout;
    @Option(names = "--heartbeat", paramLabel = "DURATION", defaultValue = "10ms", converter = Units.Duration.class,
            description = "Period of the heartbeat, other work of the sending thread; 0s: none"
                    + " (default: ${DEFAULT-VALUE}).")
    long heartbeat;
    @Option(names = "--give-up", paramLabel = "DURATION", converter = Units.Period.class,
            description = "A sender fails when nothing could be written for so long (default: never).")
    Long giveUp;
    @Option(names = "--timeout", paramLabel = "DURATION", defaultValue = "3s", converter = Units.Period.class,
            description = "Longest single wait of the poll sender (default: ${DEFAULT-VALUE}).")
    long timeout;
    @Option(names = {"-r", "--read-size"}, paramLabel = "SIZE", defaultValue = "20k",
            converter = Units.BufferSize.class,
            description = "Most bytes taken by one read of the receiver (default: ${DEFAULT-VALUE}).")
    long readSize;
    @Option(names = {"-t", "--interval"}, paramLabel = "DURATION", defaultValue = "100ms",
            converter = Units.Duration.class,
            description = "The receiver's pause after each read; 0s: none (default: ${DEFAULT-VALUE}).")
    long interval;

    private long total;

    /** Refuses options that do not go together. */
    public void check(CommandSpec spec) {
        Errors.check(spec, size == null || input == null, "--size does not go with --input");
        Errors.check(spec, input == null || !input.toString().equals("-"),
                "--input must be a file: standard input can be sent only once");
    }

    /** The files that are read. */
    public Path[] inputs() {
        return input == null ? new Path[0] : new Path[] {input};
    }

    /** Finds out how much there is to send; fails where that cannot be sent again and again. */
    void measureInput() throws IOException {
        total = size == null ? 1 << 20 : size;
        if (input == null) {
            return;
        }
        if (!Files.isRegularFile(input)) {
            throw Errors.problem(input, Files.exists(input)
                    ? "is not a regular file, which can be sent again and again" : "no such file");
        }
        if (!Files.isReadable(input)) {
            throw Errors.problem(input, "cannot be read");
        }
        total = Files.size(input);
    }

    /** Bytes to send. */
    long total() {
        return total;
    }

    /** The CRC-32C of all that a sender of the kit sends. */
    String crc32c() throws IOException {
        return input == null ? Payload.crc32c(total) : Payload.crc32c(input);
    }

    /** Seconds that the reader takes for all of it by its pauses alone. */
    double readingSeconds() {
        return Math.ceil((double) total / readSize) * interval / 1e9;
    }

    /** The same for the kernel model, which has no heartbeat here: its figures would not be shown. */
    Settings settings(Machine machine, kernel.Faults faults) {
        return new Settings(machine, total, chunk, sndbuf, readSize, interval, null, timeout, giveUp, faults);
    }
}
