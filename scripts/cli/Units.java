package cli;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Sizes, durations and counts: from the command line, and back to text. In code they are bytes and nanoseconds. */
public final class Units {
    private Units() { }

    /** Bytes, from a whole number, also with the unit k, m or g (1024-based). */
    public static class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            if (text.matches("\\d{1,18}[kmgKMG]?")) {
                int unit = Math.max(0, " kmg".indexOf(Character.toLowerCase(text.charAt(text.length() - 1))));
                long number = Long.parseLong(unit == 0 ? text : text.substring(0, text.length() - 1));
                if (number <= Long.MAX_VALUE >> 10 * unit) {
                    return number << 10 * unit;
                }
            }
            throw new TypeConversionException("'" + text + "' is not a size such as 4096, 20k, 1m or 5g");
        }
    }

    /** Like a size, but one that a buffer can have. */
    public static class BufferSize extends Size {
        @Override
        public Long convert(String text) {
            long bytes = super.convert(text);
            if (bytes < 1 || bytes > 2047 << 20) {
                throw new TypeConversionException("'" + text + "' is not between 1 and 2047m");
            }
            return bytes;
        }
    }

    /** Nanoseconds, from a number with the unit ms, s or m. */
    public static class Duration implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            if (text.matches("\\d{1,8}(\\.\\d{1,9})?(ms|s|m)")) {
                double unit = text.endsWith("ms") ? 1e6 : text.endsWith("s") ? 1e9 : 60e9;
                return Math.round(Double.parseDouble(text.replaceAll("[ms]", "")) * unit);
            }
            throw new TypeConversionException("'" + text + "' is not a duration such as 100ms, 1s, 1.5s or 2m");
        }
    }

    /** Like a duration, but never 0. */
    public static class Period extends Duration {
        @Override
        public Long convert(String text) {
            long nanos = super.convert(text);
            if (nanos == 0) {
                throw new TypeConversionException("'" + text + "' must be longer");
            }
            return nanos;
        }
    }

    /** A whole number of 0 or more. */
    public static class Whole implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, 0);
        }
    }

    /** A whole number of 1 or more. */
    public static class Count implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return number(text, 1);
        }
    }

    private static int number(String text, int least) {
        if (text.matches("\\d{1,9}") && Integer.parseInt(text) >= least) {
            return Integer.parseInt(text);
        }
        throw new TypeConversionException("'" + text + "' is not a whole number from " + least + " to 999999999");
    }

    /** Nanoseconds as seconds, to the microsecond, as the events have them. */
    public static BigDecimal seconds(long nanos) {
        return BigDecimal.valueOf(nanos / 1_000, 6);
    }

    /** Nanoseconds as seconds with no digit more than it takes. */
    public static BigDecimal plainSeconds(long nanos) {
        return new BigDecimal(BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString());
    }

    /** Nanoseconds as an argument that {@link Duration} reads. */
    public static String duration(long nanos) {
        return plainSeconds(nanos) + "s";
    }

    /** Bytes in the largest unit that gives a whole number. */
    public static String size(long bytes) {
        int unit = bytes == 0 ? 0 : Math.min(3, Long.numberOfTrailingZeros(bytes) / 10);
        return (bytes >> 10 * unit) + List.of(" bytes", " KiB", " MiB", " GiB").get(unit);
    }

    /** A number with so many digits behind the point. */
    public static String fixed(Number value, int digits) {
        return new BigDecimal(value.toString()).setScale(digits, RoundingMode.HALF_UP).toPlainString();
    }
}
