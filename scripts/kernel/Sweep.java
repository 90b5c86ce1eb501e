package kernel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** The same question for several values of one setting. */
public final class Sweep {
    private Sweep() { }

    /** What is predicted with one value. */
    public record Row<V>(V value, Settings settings, Prediction prediction) { }

    /**
     * Predicts for each strategy and each value.
     *
     * @param with the settings with a value, as {@code settings::withReadSize}
     * @return the rows of the first strategy, in the order of the values, then those of the next
     */
    public static <V> List<Row<V>> over(Collection<V> values, Function<V, Settings> with,
            Collection<Strategy> strategies) throws UnpredictableException {
        List<Row<V>> rows = new ArrayList<>();
        for (Strategy strategy : strategies) {
            for (V value : values) {
                Settings settings = with.apply(value);
                rows.add(new Row<>(value, settings, Prediction.of(settings, strategy)));
            }
        }
        return rows;
    }
}
