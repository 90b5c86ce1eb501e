package measure;

import cli.Units;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kernel.Strategy;
import options.Transfer;

/** Runs one candidate after another, each against a receiver of its own, and each of both in a process of its own. */
final class Runner {
    private static final String SOCKET = "slow_receiver.sock";
    /** How often a run under way is looked at, in nanoseconds. */
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(20);

    private final Workload workload;
    private final Faults faults;
    private final Children children;
    private final End end;
    private final Progress progress;
    private final double deadlineSeconds;
    private final String expectedCrc32c;

    /** @param deadlineSeconds after which a run is stopped */
    Runner(Workload workload, Faults faults, Children children, End end, Progress progress, double deadlineSeconds)
            throws IOException {
        this.workload = workload;
        this.faults = faults;
        this.children = children;
        this.end = end;
        this.progress = progress;
        this.deadlineSeconds = deadlineSeconds;
        expectedCrc32c = workload.crc32c();
    }

    Measured measure(Candidate candidate, int number, Forecast forecast) throws Exception {
        Path dir = end.step(children::newDirectory);
        try (RunUnderWay run = new RunUnderWay(candidate, dir, workload.total(), forecast)) {
            long deadline = System.nanoTime() + (long) (deadlineSeconds * 1e9);
            progress.start(candidate.name());
            try {
                go(candidate, dir, run, deadline);
            } catch (TimeoutException e) {
                run.abort(deadlineSeconds);
            } finally {
                progress.stop();
                end.step(() -> {
                    children.stop();
                    return null;
                });
            }
            boolean known = candidate.strategy() != null || workload.transfer.input != null;
            return run.finish(number, known ? expectedCrc32c : null, workload.heartbeat > 0, forecast);
        }
    }

    /** The receiver first; the sender once that listens; then what is still queued has to be read. */
    private void go(Candidate candidate, Path dir, RunUnderWay run, long deadline) throws Exception {
        Process receiver = end.step(() -> children.start(dir, "receiver", receiver()));
        while (!run.follow().received.isListening() && !hasEnded(receiver, deadline)) {
            show(candidate, run);
        }
        if (run.received.isListening()) {
            Process sender = end.step(() -> children.start(dir, "sender", sender(candidate, dir)));
            while (!hasEnded(sender, deadline)) {
                show(candidate, run);
            }
            run.senderEnded(sender.exitValue());
            boolean knocked = sender.exitValue() == 0 && candidate.strategy() != null;
            while (!isOver(run) && !hasEnded(receiver, deadline)) {
                knocked = knocked || knock(dir);
                show(candidate, run);
            }
        }
        if (!receiver.isAlive()) {
            run.receiverEnded(receiver.exitValue());
        }
    }

    /** Whether a receiver that goes on by itself has no more to do with this sender. */
    private boolean isOver(RunUnderWay run) throws IOException {
        return faults.neverAccept || faults.outlastsTheRun() && run.follow().received.crc32c() != null;
    }

    /** Connects, which ends a receiver to which the sender has not connected; else nobody would notice. */
    private static boolean knock(Path dir) {
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(dir.resolve(SOCKET))).close();
            return true;
        } catch (IOException e) {
            return false; // it has ended, or is down for a while
        }
    }

    /** Waits a moment for the process to end; true when it has. */
    private boolean hasEnded(Process process, long deadline) throws InterruptedException, TimeoutException {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw new TimeoutException();
        }
        boolean ended = process.waitFor(Math.min(TICK, left), TimeUnit.NANOSECONDS);
        end.pass();
        return ended;
    }

    private void show(Candidate candidate, RunUnderWay run) throws IOException {
        if (progress.isShown()) {
            run.follow();
            progress.show(candidate.strategy() == null ? null : run.sent.bytes(), run.received.delivered());
        }
    }

    private List<String> receiver() {
        List<String> arguments = new ArrayList<>(List.of("--json"));
        if (!faults.neverAccept) {
            arguments.addAll(List.of("--connections=" + (faults.restartAfter == null ? 1 : 2),
                    "--read-size=" + workload.transfer.readSize, "--interval=" + Units.duration(workload.interval)));
        }
        arguments.addAll(faults.arguments());
        return children.jvm(List.of(), "FaultyReceiver", arguments);
    }

    /** The sender, in a shell that waits for it and notes the CPU time of it and of the children that it waited for. */
    private List<String> sender(Candidate candidate, Path dir) {
        List<String> command = new ArrayList<>(List.of("sh", "-c",
                "\"$@\"; status=$?; times >times; exit $status", "sh"));
        if (candidate.strategy() == null) {
            command.addAll(List.of("sh", "-c",
                    candidate.command().replace("{socket}", dir.resolve(SOCKET).toString())));
        } else {
            boolean virtual = candidate.strategy() == Strategy.VIRTUAL;
            command.addAll(children.jvm(virtual ? VirtualThreads.ONE_CARRIER : List.of(), "MeasuredSender",
                    List.of(task(candidate).argument())));
        }
        return command;
    }

    private Task task(Candidate candidate) {
        Transfer transfer = workload.transfer;
        return new Task(candidate.name(), candidate.strategy(), SOCKET, workload.total(),
                transfer.input == null ? null : transfer.input.toAbsolutePath().toString(), transfer.chunk,
                transfer.sndbuf, workload.connectTimeout, workload.heartbeat == 0 ? null : workload.heartbeat,
                transfer.timeout, transfer.giveUp, expectedCrc32c);
    }
}
