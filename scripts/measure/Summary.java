package measure;

import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** The runs of one candidate, and their medians. */
record Summary(String name, Forecast forecast, List<Measured> runs) {
    List<Measured> complete() {
        return runs.stream().filter(Measured::isComplete).toList();
    }

    /** Median over the complete runs, or over the failures of a sender that has none; null if there is no figure. */
    BigDecimal median(Function<Measured, ? extends Number> figure) {
        List<Measured> told = complete().isEmpty() ? runs.stream().filter(Measured::isOfTheKit).toList() : complete();
        List<BigDecimal> values = told.stream().map(figure).filter(Objects::nonNull).map(value -> new BigDecimal(value.toString())).sorted().toList();
        int n = values.size();
        return n == 0 ? null : values.get((n - 1) / 2).add(values.get(n / 2)).divide(BigDecimal.valueOf(2));
    }

    BigDecimal accepted() {
        return median(run -> run.run().times().acceptedSeconds());
    }

    BigDecimal delivered() {
        return median(run -> run.run().times().deliveredSeconds());
    }

    /** User and system time of the sending thread. */
    BigDecimal cpu() {
        return median(Measured::cpu);
    }

    /** Blank where a run failed before that could be told. */
    String intact() {
        return runs.stream().anyMatch(run -> Boolean.FALSE.equals(run.run().outcome().intact())) ? "NO"
                : runs.stream().allMatch(run -> Boolean.TRUE.equals(run.run().outcome().intact())) ? "yes"
                : runs.stream().allMatch(Measured::isComplete) ? "size only" : "";
    }
}
