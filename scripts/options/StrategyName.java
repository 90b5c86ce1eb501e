package options;

import kernel.Strategy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A strategy by its name, or by that of its script. */
public final class StrategyName implements ITypeConverter<Strategy> {
    private static final String SCRIPT = "-sender";

    @Override
    public Strategy convert(String text) {
        for (Strategy strategy : Strategy.values()) {
            if (text.equals(strategy.toString()) || text.equals(strategy + SCRIPT)) {
                return strategy;
            }
        }
        throw new TypeConversionException("'" + text + "' is not blocking, nonblocking, poll or virtual");
    }
}
