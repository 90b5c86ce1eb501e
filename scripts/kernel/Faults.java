package kernel;

/**
 * What delays the receiver beside its pauses, in bytes received and nanoseconds. A stall is looked for before each
 * read; a read takes no more than what is left until the next one, which so comes at exactly its number of bytes.
 *
 * @param firstReadDelay before the first read
 * @param stallAfter     once, when so many bytes are received; null: never
 * @param stallEvery     again and again, when so many bytes are received, twice as many, and so on; null: never
 * @param stallPeriod    again and again, at the first read at or after each multiple of this time since the connection,
 *                       one for all that pass before the stall is over; without pauses no time passes in the model,
 *                       and none comes; null: never
 * @param resumeAfter    how long each stall lasts
 */
public record Faults(long firstReadDelay, Long stallAfter, Long stallEvery, Long stallPeriod, long resumeAfter) {
    public static final Faults NONE = new Faults(0, null, null, null, 0);
}
