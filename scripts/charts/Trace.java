package charts;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import results.Comparison.Run;
import results.Event;

/** A run, with its events as the numbers that charts are made of. */
record Trace(Run run, List<Step> steps) {
    private static final Set<String> NOT_SENDING = Set.of("listening", "connected", "closed");

    /**
     * An event.
     *
     * @param time in seconds since the sender connected
     * @param bytes 0 where it has none
     * @param late in seconds, 0 where nothing was due
     */
    record Step(double time, String event, double bytes, double late) {
        static Step of(Event event) {
            return new Step(event.time().doubleValue(), event.event(), figure(event, "bytes"), figure(event, "late"));
        }

        private static double figure(Event event, String key) {
            BigDecimal figure = event.number(key);
            return figure == null ? 0 : figure.doubleValue();
        }
    }

    static Trace of(Run run) throws IOException {
        List<Step> steps = new ArrayList<>();
        run.events().forEach(event -> steps.add(Step.of(event)));
        return new Trace(run, steps);
    }

    String sender() {
        return run.who().sender();
    }

    String error() {
        return run.outcome().error();
    }

    Stream<Step> steps(String event) {
        return steps.stream().filter(step -> step.event.equals(event));
    }

    boolean has(String event) {
        return steps(event).findAny().isPresent();
    }

    /** The bytes of all events of a name. */
    double sum(String event) {
        return steps(event).mapToDouble(Step::bytes).sum();
    }

    /** The bytes that were accepted or delivered, whichever are more. */
    double most() {
        return Math.max(sum("wrote"), sum("received"));
    }

    /** The time of the last event but that of closing, before which the receiver paused once more. */
    double end() {
        return steps.stream().filter(step -> !NOT_SENDING.contains(step.event)).mapToDouble(Step::time).max().orElse(0);
    }

    /** Foreign commands do not; a sender of this kit that reports none had none accepted. */
    boolean reportsWrites() {
        return run.who().strategy() != null || has("wrote");
    }

    /** Seconds of the sending thread or of the whole process, in user or system mode; null if not known. */
    BigDecimal cpu(boolean thread, boolean system) {
        return thread ? system ? run.cpu().system() : run.cpu().user()
                : system ? run.cpu().processSystem() : run.cpu().processUser();
    }
}
