package lab;

import cli.Units;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import results.Comparison;
import results.Comparison.Beats;
import results.Comparison.Cpu;
import results.Comparison.Run;
import results.Comparison.Times;
import results.Event;

/** The figures of runs as texts for a table; null where there is none. */
final class Figures {
    private static final int MOST_SIZES = 8;

    /** The rows of the table of runs, in this order; one that has no figure of any run is left out. */
    private static final List<Row> ROWS = List.of(
            new Row("writes, bytes", Figures::sizes),
            new Row("would-blocks", run -> grouped(run.calls().wouldBlock())),
            new Row("all accepted after", run -> seconds(run.times().acceptedSeconds())),
            new Row("all delivered after", run -> seconds(run.times().deliveredSeconds())),
            new Row("longest stall", run -> seconds(run.times().longestStall())),
            new Row("CPU of the sending thread", run -> seconds(cpu(run.cpu()))),
            new Row("share of a core", run -> share(run.cpu(), run.times())),
            new Row("beats run", run -> beats(run.beats())),
            new Row("worst beat, late by", run -> millis(run.beats().beatWorst())),
            new Row("arrived intact", run -> run.outcome().intact() == null ? null
                    : run.outcome().intact() ? "yes" : "no"),
            new Row("error", run -> run.outcome().error()));

    private Figures() { }

    private record Row(String label, Figure figure) { }

    private interface Figure {
        String of(Run run) throws IOException;
    }

    /** A column for each run; those of several comparisons stand beside each other, sender by sender. */
    static Table table(Comparison... comparisons) throws IOException {
        List<Run> runs = new ArrayList<>();
        List<String> header = new ArrayList<>(List.of(""));
        List<String> senders = Stream.of(comparisons).flatMap(comparison -> comparison.runs().stream())
                .map(run -> run.who().sender()).distinct().toList();
        for (String sender : senders) {
            for (Comparison comparison : comparisons) {
                for (Run run : comparison.runs()) {
                    if (run.who().sender().equals(sender)) {
                        runs.add(run);
                        header.add(name(run) + (comparisons.length > 1 ? ", " + comparison.kind() : "")
                                + (comparison.settings().runs() > 1 ? ", run " + run.who().run() : ""));
                    }
                }
            }
        }
        List<List<String>> rows = new ArrayList<>();
        for (Row row : ROWS) {
            List<String> cells = new ArrayList<>(List.of(row.label()));
            for (Run run : runs) {
                cells.add(Objects.requireNonNullElse(row.figure().of(run), ""));
            }
            if (cells.stream().skip(1).anyMatch(cell -> !cell.isEmpty())) {
                rows.add(cells);
            }
        }
        return new Table(header, rows);
    }

    /** A row for each sender and value, sender by sender. */
    static Table sweep(String option, List<String> values, List<Comparison> predictions) {
        List<List<String>> rows = new ArrayList<>();
        for (int sender = 0; sender < predictions.get(0).runs().size(); sender++) {
            for (int value = 0; value < values.size(); value++) {
                Run run = predictions.get(value).runs().get(sender);
                rows.add(List.of(name(run), values.get(value), String.valueOf(run.calls().writes()),
                        seconds(run.times().acceptedSeconds()), seconds(run.times().deliveredSeconds()),
                        seconds(run.times().longestStall())));
            }
        }
        return new Table(List.of("", option, "writes", "all accepted after", "all delivered after", "longest stall"),
                rows);
    }

    static String name(Run run) {
        return Objects.requireNonNullElse(run.who().strategy(), run.who().sender());
    }

    /** As 219264, 22 times 36544, 25344; null for a command, whose writes are not seen. */
    static String sizes(Run run) throws IOException {
        List<BigDecimal> sizes = new ArrayList<>();
        run.events().forEach(event -> {
            if (event.event().equals("wrote") && event.side().equals(Event.SENDER)) {
                sizes.add(event.number("bytes"));
            }
        });
        return run.calls().writes() == null ? null : sizes(sizes);
    }

    static String sizes(List<? extends Number> sizes) {
        List<String> groups = new ArrayList<>();
        for (int from = 0, to; from < sizes.size() && groups.size() < MOST_SIZES; from = to) {
            to = from + 1;
            while (to < sizes.size() && sizes.get(to).equals(sizes.get(from))) {
                to++;
            }
            groups.add((to - from == 1 ? "" : to - from + " \u00d7 ") + sizes.get(from));
            if (groups.size() == MOST_SIZES && to < sizes.size()) {
                groups.set(MOST_SIZES - 1, "\u2026 (" + sizes.size() + " writes)");
            }
        }
        return String.join(", ", groups);
    }

    static String seconds(Number seconds) {
        return seconds == null ? null : Units.fixed(seconds, 2) + " s";
    }

    private static String millis(BigDecimal seconds) {
        return seconds == null ? null : Units.fixed(seconds.movePointRight(3), 0) + " ms";
    }

    private static String grouped(Long count) {
        return count == null ? null : String.format(Locale.ROOT, "%,d", count);
    }

    private static BigDecimal cpu(Cpu cpu) {
        return cpu.user() == null ? null : cpu.user().add(cpu.system());
    }

    private static String share(Cpu cpu, Times times) {
        return cpu(cpu) == null || times.acceptedSeconds() == null || times.acceptedSeconds().signum() == 0 ? null
                : Units.fixed(100 * cpu(cpu).doubleValue() / times.acceptedSeconds().doubleValue(), 0) + " %";
    }

    private static String beats(Beats beats) {
        return beats.beatsDue() == null ? null : beats.beatsRun() + " of " + beats.beatsDue();
    }
}
