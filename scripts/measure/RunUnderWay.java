package measure;

import cli.Units;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import results.Comparison.Beats;
import results.Comparison.Calls;
import results.Comparison.Checksum;
import results.Comparison.Cpu;
import results.Comparison.Outcome;
import results.Comparison.Run;
import results.Comparison.Sender;
import results.Comparison.Times;

/** A run while it goes on: follows what both sides print to files in its directory, and makes its figures. */
final class RunUnderWay implements Closeable {
    private static final int TAIL_BYTES = 4096;
    private static final BigDecimal SECONDS_PER_MINUTE = BigDecimal.valueOf(60);

    final SenderSide sent;
    final ReceiverSide received;
    private final Candidate candidate;
    private final Path dir;
    private final long total;
    private final BigDecimal began = EventLog.now();
    private BigDecimal exited;
    private String error;
    private Measured.Ending ending = Measured.Ending.SENT_ALL;

    /** The two logs grow while the run goes on; a command's standard output is not one. */
    RunUnderWay(Candidate candidate, Path dir, long total, Forecast forecast) throws IOException {
        this.candidate = candidate;
        this.dir = dir;
        this.total = total;
        sent = new SenderSide(candidate.strategy() == null ? null : Files.createFile(dir.resolve("sender.out")),
                forecast);
        received = new ReceiverSide(Files.createFile(dir.resolve("receiver.out")));
    }

    RunUnderWay follow() throws IOException {
        sent.follow();
        received.follow();
        return this;
    }

    void senderEnded(int status) throws IOException {
        exited = EventLog.now();
        follow();
        if (status != 0) {
            fail(failure("sender.err", status),
                    sent.failedAfter() != null && status == 3 ? Measured.Ending.GAVE_UP : Measured.Ending.FAILED);
        }
    }

    /** A command may end well and never have connected, which only the receiver knows. */
    void receiverEnded(int status) throws IOException {
        follow();
        if (status != 0) {
            fail(failure("receiver.err", status), Measured.Ending.FAILED);
        } else if (error == null && received.accepted() == null) {
            fail("ended without having connected", Measured.Ending.FAILED);
        }
    }

    void abort(double deadline) throws IOException {
        follow();
        if (error == null) {
            BigDecimal idle = EventLog.now().subtract(received.lastRead() == null ? began : received.lastRead());
            fail("aborted: no progress for " + Units.fixed(idle, 1) + " s, " + received.delivered() + " of " + total
                    + " bytes (deadline " + Units.fixed(deadline, 1) + " s)", Measured.Ending.ABORTED);
        }
    }

    private void fail(String what, Measured.Ending how) {
        error = what;
        ending = how;
    }

    /** The last line that a failed process said, and its exit status. */
    private String failure(String file, int status) throws IOException {
        try (RandomAccessFile errors = new RandomAccessFile(dir.resolve(file).toFile(), "r")) {
            byte[] tail = new byte[(int) Math.min(TAIL_BYTES, errors.length())];
            errors.seek(errors.length() - tail.length);
            errors.readFully(tail);
            String[] lines = new String(tail, StandardCharsets.UTF_8).strip().split("\\R");
            String line = lines[lines.length - 1].replaceAll("\\p{Cntrl}", " ").strip();
            return line.isEmpty() ? "exit status " + status : line + " (exit status " + status + ")";
        }
    }

    /**
     * Makes the figures of what was reported until the end.
     *
     * @param expectedCrc32c of what was to be sent; null where nobody knows
     * @param beats whether a heartbeat was asked for
     */
    Measured finish(int number, String expectedCrc32c, boolean beats, Forecast forecast) throws IOException {
        follow();
        boolean ofTheKit = candidate.strategy() != null;
        long bytes = ofTheKit ? sent.bytes() : received.delivered();
        List<BigDecimal> process = processTimes();
        Run run = new Run(new Sender(candidate.name(), Objects.toString(candidate.strategy(), null), number),
                new Outcome(error, bytes, received.delivered(), intact(expectedCrc32c)),
                error == null ? times() : Times.NONE,
                ofTheKit ? sent.calls() : Calls.NONE,
                exited == null ? Cpu.NONE : sent.cpu(process.get(0), process.get(1)),
                beats ? sent.beats() : Beats.NONE,
                new Checksum(received.crc32c()),
                new Logs(ofTheKit ? dir.resolve("sender.out") : null, dir.resolve("receiver.out"), origin()));
        return new Measured(run, ending, sent.failedAfter(), sent.deviation(), forecast, total);
    }

    private Boolean intact(String expectedCrc32c) {
        if (received.crc32c() == null) {
            return null;
        }
        return received.delivered() != total ? Boolean.FALSE
                : expectedCrc32c == null ? null : Boolean.valueOf(expectedCrc32c.equals(received.crc32c()));
    }

    private Times times() {
        BigDecimal delivered = received.lastRead() == null ? BigDecimal.ZERO : received.lastRead().subtract(origin());
        if (candidate.strategy() != null) {
            return new Times(sent.lastWrite().subtract(sent.connected()), delivered, sent.longestStall());
        }
        BigDecimal accepted = exited.subtract(received.accepted());
        return new Times(accepted.signum() < 0 ? null : accepted, delivered, null);
    }

    /** When the sender connected; of a command it is known only when the receiver accepted that. */
    private BigDecimal origin() {
        return sent.connected() != null ? sent.connected() : received.accepted() != null ? received.accepted() : began;
    }

    /** User and system seconds from the shell's {@code times}: its own on the first line, of its children next. */
    private List<BigDecimal> processTimes() throws IOException {
        Path file = dir.resolve("times");
        List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
        if (lines.size() != 2) {
            return Arrays.asList(null, null);
        }
        String[] times = lines.get(1).replace(',', '.').split("[ms ]+");
        return List.of(seconds(times[0], times[1]), seconds(times[2], times[3]));
    }

    private static BigDecimal seconds(String minutes, String seconds) {
        return new BigDecimal(minutes).multiply(SECONDS_PER_MINUTE).add(new BigDecimal(seconds));
    }

    @Override
    public void close() throws IOException {
        sent.close();
        received.close();
    }
}
