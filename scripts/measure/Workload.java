package measure;

import cli.Errors;
import cli.Units;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import kernel.Machine;
import kernel.Settings;
import options.Transfer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What every sender of a comparison is to send, how, and to which reader; in bytes and nanoseconds. */
public class Workload {
    @Mixin
    Transfer transfer;
    @Option(names = "--connect-timeout", paramLabel = "DURATION", defaultValue = "0s",
            converter = Units.Duration.class,
            description = "How long a sender keeps trying while no receiver listens (default: ${DEFAULT-VALUE}).")
    long connectTimeout;
    @Option(names = "--heartbeat", paramLabel = "DURATION", defaultValue = "10ms", converter = Units.Duration.class,
            description = "Period of the heartbeat, other work of the sending thread; 0s: none"
                    + " (default: ${DEFAULT-VALUE}).")
    long heartbeat;
    @Option(names = {"-t", "--interval"}, paramLabel = "DURATION", defaultValue = "100ms",
            converter = Units.Duration.class,
            description = "The receiver's pause after each read; 0s: none (default: ${DEFAULT-VALUE}).")
    long interval;

    private long total;

    /** Refuses options that do not go together. */
    public void check(CommandSpec spec) {
        transfer.check(spec);
        Errors.check(spec, transfer.input == null || !transfer.input.toString().equals("-"),
                "--input must be a file: standard input can be sent only once");
    }

    /** The files that are read. */
    public Path[] inputs() {
        return transfer.input == null ? new Path[0] : new Path[] {transfer.input};
    }

    /** Bytes to generate. */
    public long generated() {
        return transfer.generated();
    }

    public long chunk() {
        return transfer.chunk;
    }

    /** Finds out how much there is to send; fails where that cannot be sent again and again. */
    void measureInput() throws IOException {
        Path input = transfer.input;
        if (input == null) {
            total = transfer.generated();
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
        return transfer.input == null ? Payload.crc32c(total) : Payload.crc32c(transfer.input);
    }

    /** Seconds that the reader takes for all of it by its pauses alone. */
    double readingSeconds() {
        return Math.ceil((double) total / transfer.readSize) * interval / 1e9;
    }

    /** The same for the kernel model, which has no heartbeat here: its figures would not be shown. */
    Settings settings(Machine machine, kernel.Faults faults) {
        return new Settings(machine, total, transfer.chunk, transfer.sndbuf, transfer.readSize, interval, null,
                transfer.timeout, transfer.giveUp, faults);
    }
}
