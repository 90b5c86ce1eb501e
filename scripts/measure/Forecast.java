package measure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import kernel.Machine;
import kernel.Observer;
import kernel.Prediction;
import kernel.Settings;
import kernel.Strategy;
import kernel.UnpredictableException;

/**
 * What the kernel model says of one strategy.
 *
 * @param writes the sizes of its writes in bytes, unless they are too many
 */
public record Forecast(Prediction prediction, List<Long> writes) {
    /** Where more reads and writes than these are predicted, the writes are compared by their number alone. */
    private static final int MOST_EVENTS = 1_000_000;

    /** For each strategy, or for none: where it is not Linux, or the reader's times are not made by its pauses. */
    static Map<Strategy, Forecast> of(Workload workload, Faults faults, Machine machine, List<Candidate> senders) {
        Map<Strategy, Forecast> forecasts = new EnumMap<>(Strategy.class);
        if (machine == null || workload.interval == 0 || faults.predictable() == null) {
            return forecasts;
        }
        try {
            for (Candidate sender : senders) {
                if (sender.strategy() != null) {
                    forecasts.put(sender.strategy(),
                            of(workload.settings(machine, faults.predictable()), sender.strategy()));
                }
            }
            return forecasts;
        } catch (UnpredictableException e) {
            return Map.of();
        }
    }

    private static Forecast of(Settings settings, Strategy strategy) throws UnpredictableException {
        Prediction prediction = Prediction.of(settings, strategy);
        List<Long> writes = new ArrayList<>();
        if (prediction.writes() + prediction.reads() <= MOST_EVENTS) {
            Prediction.of(settings, strategy, new Observer() {
                @Override
                public void wrote(long time, long bytes) {
                    writes.add(bytes);
                }
            });
        }
        return new Forecast(prediction, writes);
    }

    /** This machine as the model needs it; null where that is not to be found out. */
    public static Machine localMachine() {
        try {
            return Machine.local();
        } catch (IOException e) {
            return null;
        }
    }
}
