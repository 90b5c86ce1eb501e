package charts;

import java.math.BigDecimal;
import java.math.MathContext;
import java.text.NumberFormat;
import java.util.List;
import java.util.Locale;

/** Numbers as they stand in a picture, with three digits. */
final class Text {
    private Text() { }

    /** A unit of bytes. */
    record Unit(String name, double bytes) {
        private static final List<Unit> ALL = List.of(new Unit("GiB", 1 << 30), new Unit("MiB", 1 << 20),
                new Unit("KiB", 1 << 10), new Unit("bytes", 1));

        /** One that gives an axis short numbers. */
        static Unit of(double most) {
            return ALL.stream().filter(unit -> most >= 10 * unit.bytes).findFirst().orElse(ALL.get(3));
        }
    }

    static String size(long bytes) {
        Unit unit = Unit.ALL.stream().filter(some -> bytes >= some.bytes).findFirst().orElse(Unit.ALL.get(3));
        return plain(bytes / unit.bytes) + " " + unit.name;
    }

    static String plain(double value) {
        NumberFormat format = NumberFormat.getNumberInstance(Locale.ROOT);
        format.setMaximumFractionDigits(9);
        return format.format(BigDecimal.valueOf(value).round(new MathContext(3)));
    }

    static String duration(double seconds) {
        return seconds < 1e-3 ? plain(seconds * 1e6) + " \u00b5s"
                : seconds < 1 ? plain(seconds * 1e3) + " ms" : plain(seconds) + " s";
    }

    static String shorten(String text, int length) {
        return text.length() > length ? text.substring(0, length) + "\u2026" : text;
    }
}
