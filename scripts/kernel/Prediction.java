package kernel;

/**
 * The figures of one run, in bytes and nanoseconds from the connection.
 *
 * @param error        why the sender failed, or null
 * @param bytes        accepted by the kernel; all of them are delivered
 * @param acceptedTime when the last write returned
 * @param ended        when the sender was done or failed
 * @param closed       when the receiver read the end
 * @param longestStall longest time between two writes, or between the connection and the first
 * @param wouldBlocks  refused writes; null where the sender spins
 * @param polls        0 but for the poll sender, as pollTimeouts
 * @param beatsDue     null without a heartbeat, as beatsRun and worstBeat
 */
public record Prediction(Strategy strategy, String error, long bytes, long acceptedTime, long deliveredTime, long ended,
        long closed, long longestStall, long writes, Long wouldBlocks, long polls, long pollTimeouts, long reads,
        Long beatsDue, Long beatsRun, Long worstBeat) {
    /** Steps without a repetition after which a run is refused, a few tenths of a second. */
    private static final long MAX_STEPS = 5_000_000;

    /**
     * Predicts one run. Its cost does not grow with the size: as soon as the pattern of a run repeats, the repetitions
     * are counted and not gone through.
     *
     * @throws UnpredictableException if no pattern repeats soon enough, or the run would last longer than 292 years
     */
    public static Prediction of(Settings settings, Strategy strategy) throws UnpredictableException {
        return new Simulation(settings, strategy, null).run(MAX_STEPS);
    }

    /** The same event by event; {@link #of(Settings, Strategy)} tells before how many the observer will hear of. */
    public static Prediction of(Settings settings, Strategy strategy, Observer observer)
            throws UnpredictableException {
        return new Simulation(settings, strategy, observer).run(Long.MAX_VALUE);
    }
}
