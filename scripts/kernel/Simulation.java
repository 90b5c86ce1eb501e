package kernel;

import java.util.stream.LongStream;

/** A sender and the slow receiver in virtual time; each acts as soon as it may, and timers come before reads. */
final class Simulation {
    private final Settings settings;
    private final Observer observer;
    private final KernelModel socket;
    private final Sender sender;
    private final Receiver receiver;
    private final Counts counts = new Counts();
    private final Repetition repetition = new Repetition();
    /** Times; those of the run are later by what was skipped. */
    private long lastRead;
    private long nextRead;
    private long skipped;
    private long steps;

    /** @param observer may be null */
    Simulation(Settings settings, Strategy strategy, Observer observer) {
        this.settings = settings;
        this.observer = observer;
        socket = new KernelModel(settings.machine(), settings.sndbuf());
        sender = new Sender(settings, strategy, observer, socket, counts);
        receiver = new Receiver(settings);
    }

    /** @param maxSteps without a repetition after which the run is refused */
    Prediction run(long maxSteps) throws UnpredictableException {
        try {
            sender.send();
            nextRead = receiver.firstRead();
            while (!sender.over() || counts.delivered < counts.bytes) {
                long alarm = sender.alarm();
                if (alarm <= nextRead) {
                    sender.advance(alarm);
                    sender.ring();
                } else {
                    read(alarm);
                    skipRepetitions();
                }
                if (++steps > maxSteps) {
                    throw new UnpredictableException("too long to predict: nothing repeats in the first "
                            + counts.reads + " reads; choose a smaller --size, or --chunk and --read-size with a"
                            + " larger common divisor");
                }
            }
            return sender.result(skipped, lastRead, nextRead);
        } catch (ArithmeticException e) {
            throw new UnpredictableException("too long to predict: it would last longer than 292 years");
        }
    }

    /** The next read that may matter to the sender, with those before it. */
    private void read(long alarm) {
        long most = sender.mostToGoOn();
        long quiet = observer == null ? (socket.untilCharged(most) - 1) / settings.readSize() : 0;
        if (alarm != Receiver.NEVER && settings.interval() > 0) {
            quiet = Math.min(quiet, (alarm - nextRead - 1) / settings.interval());
        }
        quiet = receiver.undisturbed(quiet, nextRead);
        lastRead = Math.addExact(nextRead, Math.multiplyExact(quiet, settings.interval()));
        sender.advance(lastRead);
        long bytes = socket.recvmsg(quiet * settings.readSize()) + socket.recvmsg(receiver.most(quiet));
        counts.reads += quiet + 1;
        counts.delivered += bytes;
        if (observer != null) {
            observer.received(lastRead, bytes);
        }
        if (!sender.over() && socket.wmemAlloc() <= most) {
            sender.send();
        }
        nextRead = receiver.next(lastRead, counts.delivered);
    }

    /** Once all is as it was before, counts the repetitions without doing them; those before a single stall alone. */
    private void skipRepetitions() {
        if (observer != null || sender.over()) {
            return;
        }
        if (receiver.stalledOnce()) {
            repetition.forget();
        }
        Repetition.Moment then = repetition.find(steps, hash(), this::moment);
        if (then != null) {
            long bytes = counts.bytes - then.counts().bytes;
            long times = Math.min(sender.unsent() / bytes, (receiver.untilOnce() - 1) / bytes);
            sender.skip(times * bytes);
            receiver.skip(times * bytes);
            skipped = Math.addExact(skipped, Math.multiplyExact(times, lastRead - then.time()));
            counts.add(counts, then.counts(), times);
        }
    }

    private long hash() {
        return 31 * socket.wmemAlloc() + sender.left();
    }

    private Repetition.Moment moment() {
        long[] state = LongStream.concat(LongStream.concat(sender.state(), receiver.state(lastRead)),
                LongStream.concat(LongStream.of(nextRead - lastRead), socket.state())).toArray();
        return new Repetition.Moment(steps, lastRead, hash(), state, counts.copy());
    }
}
