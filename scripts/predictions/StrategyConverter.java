package predictions;

import kernel.Strategy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A strategy by its name. */
public final class StrategyConverter implements ITypeConverter<Strategy> {
    @Override
    public Strategy convert(String text) {
        for (Strategy strategy : Strategy.values()) {
            if (strategy.toString().equals(text)) {
                return strategy;
            }
        }
        throw new TypeConversionException("'" + text + "' is not blocking, nonblocking, poll or virtual");
    }
}
