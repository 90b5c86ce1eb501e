package crowd;

import cli.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import results.ManyReaders.Progress;
import results.ManyReaders.Reader;

/**
 * How far each reader was at some times. They are bounded in number: when there are too many, every other one goes, and
 * the next ones are further apart. While nothing moves, nothing is added.
 */
final class Samples {
    /** Numbers in all, and times. */
    private static final int MOST_NUMBERS = 20_000;
    private static final int MOST_TIMES = 200;
    private static final int LEAST_TIMES = 16;
    private static final long FIRST_DISTANCE = 50_000;

    private final int mostTimes;
    private final List<Long> times = new ArrayList<>();
    private final List<long[]> samples = new ArrayList<>();
    private long distance = FIRST_DISTANCE;
    private long lastMove;

    Samples(int readers) {
        mostTimes = Math.max(LEAST_TIMES, Math.min(MOST_TIMES, MOST_NUMBERS / readers));
    }

    /** @param time in nanoseconds, when something has moved */
    void offer(long time, List<Connection> readers) {
        lastMove = time;
        if (times.isEmpty() || time - times.get(times.size() - 1) >= distance) {
            add(time, readers);
        }
    }

    /** Adds the last sample, and before it the last move, as nothing has moved since then. */
    void end(long time, List<Connection> readers) {
        if (!times.isEmpty() && lastMove > times.get(times.size() - 1)) {
            add(lastMove, readers);
        }
        add(time, readers);
    }

    private void add(long time, List<Connection> readers) {
        if (times.size() == mostTimes) {
            for (int i = times.size() - 1; i > 0; i -= 2) {
                times.remove(i);
                samples.remove(i);
            }
            distance *= 2;
        }
        times.add(time);
        samples.add(readers.stream().mapToLong(Connection::bytes).toArray());
    }

    /** @param stuck by the index of a reader, whether it never reads */
    Progress progress(List<Boolean> stuck) {
        return new Progress(times.stream().map(Units::seconds).toList(), IntStream.range(0, stuck.size())
                .mapToObj(i -> new Reader(i + 1, stuck.get(i), samples.stream().map(sample -> sample[i]).toList()))
                .toList());
    }
}
