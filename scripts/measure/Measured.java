package measure;

import java.math.BigDecimal;
import results.Comparison;

/**
 * One finished run.
 *
 * @param run its figures and events, as the comparison file has them
 * @param ending what became of the sender
 * @param failedAfter seconds from the connection to the failure; null where it did not fail or nobody knows when
 * @param deviation from the prediction, in words with %s for the sender's name; null if there is none
 * @param total bytes that were to be sent
 */
record Measured(Comparison.Run run, Ending ending, BigDecimal failedAfter, String deviation, Forecast forecast,
        long total) {
    /** What became of a sender, in the words of the table. */
    enum Ending {
        SENT_ALL("sent all"), GAVE_UP("gave up"), FAILED("failed"), ABORTED("aborted");

        final String words;

        Ending(String words) {
            this.words = words;
        }
    }

    String error() {
        return run.outcome().error();
    }

    boolean isOfTheKit() {
        return run.who().strategy() != null;
    }

    boolean isComplete() {
        return error() == null;
    }

    /** Whether all went well, or at least as a receiver with such faults makes it go. */
    boolean isGood(Faults faults) {
        return isComplete() ? faults.losesBytes() || !Boolean.FALSE.equals(run.outcome().intact())
                : faults.any() && ending != Ending.ABORTED;
    }

    String problem() {
        long delivered = run.outcome().delivered();
        return error() != null ? error() : delivered != total ? delivered + " of " + total + " bytes arrived"
                : "other bytes arrived than it should have sent";
    }

    /** User and system time of the sending thread, in seconds; null where it is not known. */
    BigDecimal cpu() {
        return run.cpu().user() == null ? null : run.cpu().user().add(run.cpu().system());
    }

    /** Of the time until all was accepted, or until it failed. */
    Double cpuPercent() {
        BigDecimal seconds = isComplete() ? run.times().acceptedSeconds() : failedAfter;
        return cpu() == null || seconds.signum() == 0 ? null : 100 * cpu().doubleValue() / seconds.doubleValue();
    }
}
