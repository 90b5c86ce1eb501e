package kernel;

import java.util.Arrays;
import java.util.function.Supplier;

/** Notices, by Brent's algorithm, that all is as it was at an earlier step of a run. */
final class Repetition {
    private Moment then;
    private boolean found;

    /**
     * All that the run's future depends on, but for its end.
     *
     * @param hash   of the state: where it differs there is no need to put the state together
     * @param counts so far, which the future does not depend on
     */
    record Moment(long step, long time, long hash, long[] state, Counts counts) { }

    /** The earlier moment that was like this one, or null; it is found once, until {@link #forget}. */
    Moment find(long step, long hash, Supplier<Moment> now) {
        if (found) {
            return null;
        }
        if (then != null && then.hash == hash && Arrays.equals(then.state, now.get().state)) {
            found = true;
            return then;
        }
        if (then == null || step >= 2 * then.step) {
            then = now.get();
        }
        return null;
    }

    /** Lets the pattern be found anew, after something that happens only once. */
    void forget() {
        then = null;
        found = false;
    }
}
