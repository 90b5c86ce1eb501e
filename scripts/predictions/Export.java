package predictions;

import static cli.Units.seconds;

import cli.Errors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import kernel.Observer;
import kernel.Prediction;
import kernel.Settings;
import kernel.UnpredictableException;
import results.Comparison;
import results.Comparison.Beats;
import results.Comparison.Calls;
import results.Comparison.Checksum;
import results.Comparison.Cpu;
import results.Comparison.Machine;
import results.Comparison.Outcome;
import results.Comparison.Run;
import results.Comparison.Sender;
import results.Comparison.Times;
import results.Event;
import results.Events;

/** Predictions as a comparison, whose events are computed again while it is written. */
public final class Export {
    /** These make a file of about 200 MB. */
    private static final long MAX_EVENTS = 1_000_000;

    private Export() { }

    /** Refuses predictions of too many events for a file. */
    public static void check(List<Prediction> predictions) throws FileSystemException {
        long events = 0;
        for (Prediction run : predictions) {
            events += run.writes() + run.reads() + (run.beatsRun() == null ? 0 : run.beatsRun());
        }
        if (events > MAX_EVENTS) {
            throw Errors.problem("--export-json", "there would be " + events + " events, more than " + MAX_EVENTS
                    + "; choose a smaller --size or a longer --heartbeat");
        }
    }

    /** @param input whose length was taken, or null; @param here whether the machine is the one that this runs on */
    public static Comparison comparison(Settings settings, Path input, boolean here, List<Prediction> predictions) {
        return new Comparison(Comparison.PREDICTED, Comparison.VERSION, machine(settings.machine(), here),
                new Comparison.Settings(settings.size(), input == null ? null : input.toString(), settings.chunk(),
                settings.sndbuf(), settings.readSize(), seconds(settings.interval()), orNull(settings.heartbeat()),
                seconds(settings.timeout()), orNull(settings.giveUp()), seconds(0), 1, null),
                predictions.stream().map(run -> run(settings, run)).toList());
    }

    private static Machine machine(kernel.Machine machine, boolean here) {
        Machine local = Machine.local(machine.pageSize(), machine.wmemDefault());
        return here ? local : new Machine("Linux", machine.architecture().toString(), machine.kernel(), local.java(),
                local.cpus(), local.pageSize(), local.wmemDefault());
    }

    private static Run run(Settings settings, Prediction run) {
        return new Run(new Sender(run.strategy() + "-sender", run.strategy().toString(), 1),
                new Outcome(run.error(), run.bytes(), run.bytes(), null),
                new Times(seconds(run.acceptedTime()), seconds(run.deliveredTime()), seconds(run.longestStall())),
                calls(run), Cpu.NONE, beats(run), new Checksum(null), events(settings, run));
    }

    private static Calls calls(Prediction run) {
        return new Calls(run.writes(), run.wouldBlocks(), run.polls(), run.pollTimeouts());
    }

    private static Beats beats(Prediction run) {
        return new Beats(run.beatsDue(), run.beatsRun(), orNull(run.worstBeat()));
    }

    private static Events events(Settings settings, Prediction run) {
        return sink -> {
            sink.accept(Event.connected(seconds(0), settings.effectiveSndbuf(), settings.chunk()));
            try {
                Prediction.of(settings, run.strategy(), new Passing(run, sink));
            } catch (UnpredictableException e) {
                throw new IllegalStateException(e); // it was predicted before
            }
            sink.accept(Event.closed(seconds(run.closed()), run.bytes(), run.reads(), seconds(run.closed()), null));
        };
    }

    private static BigDecimal orNull(Long nanos) {
        return nanos == null ? null : seconds(nanos);
    }

    /** Passes on what it hears as events. */
    private static final class Passing implements Observer {
        private final Prediction run;
        private final Events.Sink sink;
        private long accepted;
        private long delivered;

        Passing(Prediction run, Events.Sink sink) {
            this.run = run;
            this.sink = sink;
        }

        @Override
        public void wrote(long time, long bytes) {
            accepted += bytes;
            pass(Event.wrote(seconds(time), bytes, accepted));
        }

        @Override
        public void received(long time, long bytes) {
            delivered += bytes;
            pass(Event.received(seconds(time), bytes, delivered));
        }

        @Override
        public void beat(long time, long late) {
            pass(Event.beat(seconds(time), seconds(late)));
        }

        @Override
        public void ended(long time) {
            pass(run.error() != null ? Event.failed(seconds(time), run.error(), run.bytes())
                    : Event.done(seconds(time), run.bytes(), calls(run), seconds(time), Cpu.NONE, null, beats(run)));
        }

        private void pass(Event event) {
            try {
                sink.accept(event);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
