package measure;

import cli.TextTable;
import cli.Units;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kernel.Prediction;

/** The figures side by side: one row for each, as the candidates are few. */
final class Table {
    /** Two clock ticks: user and system time are counted in steps of 0.01 s, and each may be just below the next. */
    static final BigDecimal CPU_RESOLUTION = new BigDecimal("0.02");

    private final List<Summary> summaries;
    private final List<Row> rows;

    /** @param faults whether the receiver had any: then a row says what each sender did */
    Table(List<Summary> summaries, boolean faults) {
        this.summaries = summaries;
        BigDecimal leastCpu = summaries.stream().map(Summary::cpu).filter(Objects::nonNull)
                .min(Comparator.naturalOrder()).orElse(null);
        boolean simple = summaries.stream().allMatch(s -> s.runs().size() == 1 && s.complete().size() == 1);
        Stream<Row> outcomes = Stream.of(
                new Row("complete runs", s -> simple ? "" : s.complete().size() + "/" + s.runs().size()),
                new Row("what it did", s -> !faults ? "" : s.runs().stream().map(run -> run.ending().words).distinct()
                        .collect(Collectors.joining(", "))),
                row("  accepted, bytes", 0, run -> run.isComplete() ? null : run.run().outcome().bytes()),
                row("  failed after, s", 3, run -> run.isComplete() ? null : run.failedAfter()));
        rows = Stream.concat(outcomes, figures(leastCpu)).toList();
    }

    private record Row(String label, Function<Summary, String> cell) {
        List<String> cells(List<Summary> summaries) {
            return Stream.concat(Stream.of(label), summaries.stream().map(cell)).toList();
        }

        boolean saysSomethingOf(List<Summary> summaries) {
            return summaries.stream().map(cell).anyMatch(text -> !text.isEmpty());
        }
    }

    private Stream<Row> figures(BigDecimal leastCpu) {
        return Stream.of(
                row("accepted, s", 3, run -> run.run().times().acceptedSeconds()),
                predicted(Prediction::acceptedTime),
                row("delivered, s", 3, run -> run.run().times().deliveredSeconds()),
                predicted(Prediction::deliveredTime),
                row("longest stall, s", 3, run -> run.run().times().longestStall()),
                predicted(Prediction::longestStall),
                row("writes", 0, run -> run.run().calls().writes()),
                new Row("  predicted", s -> s.forecast() == null ? ""
                        : String.valueOf(s.forecast().prediction().writes())),
                row("would-blocks", 0, run -> run.run().calls().wouldBlock()),
                row("polls", 0, run -> run.run().calls().polls()),
                row("sending thread: user, s", 2, run -> run.run().cpu().user()),
                row("  system, s", 2, run -> run.run().cpu().system()),
                row("  CPU, %", 0, Measured::cpuPercent),
                new Row("  CPU, times the least", s -> relative(s.cpu(), leastCpu)),
                row("process + JVM start: user, s", 2, run -> run.run().cpu().processUser()),
                row("  system, s", 2, run -> run.run().cpu().processSystem()),
                new Row("heartbeats run/due", Table::beats),
                row("  worst delay, s", 3, run -> run.run().beats().beatWorst()),
                new Row("data intact", Summary::intact));
    }

    private static Row row(String label, int digits, Function<Measured, ? extends Number> figure) {
        return new Row(label, summary -> {
            BigDecimal median = summary.median(figure);
            return median == null ? "" : Units.fixed(median, digits);
        });
    }

    private static Row predicted(Function<Prediction, Long> nanos) {
        return new Row("  predicted", summary -> summary.forecast() == null ? ""
                : Units.fixed(Units.plainSeconds(nanos.apply(summary.forecast().prediction())), 3));
    }

    private static String beats(Summary summary) {
        BigDecimal due = summary.median(run -> run.run().beats().beatsDue());
        return due == null ? ""
                : Units.fixed(summary.median(run -> run.run().beats().beatsRun()), 0) + "/" + Units.fixed(due, 0);
    }

    private static String relative(BigDecimal cpu, BigDecimal least) {
        if (cpu == null) {
            return "";
        }
        BigDecimal floor = least.max(CPU_RESOLUTION);
        String times = Units.fixed(cpu.max(floor).divide(floor, 3, RoundingMode.HALF_UP), 1);
        return (least.compareTo(CPU_RESOLUTION) < 0 && cpu.compareTo(floor) > 0 ? ">" : "") + times;
    }

    /** As many candidates side by side as fit the width, and the others below. */
    String text(int width) {
        return text(summaries, width);
    }

    private String text(List<Summary> some, int width) {
        int n = some.size();
        String block = block(some);
        while (n > 1 && block.lines().anyMatch(line -> line.length() > width)) {
            block = block(some.subList(0, --n));
        }
        return n == some.size() ? block : block + "\n" + text(some.subList(n, some.size()), width);
    }

    private String block(List<Summary> some) {
        return TextTable.format(header(some), cells(some));
    }

    private static List<String> header(List<Summary> some) {
        return Stream.concat(Stream.of(""), some.stream().map(Summary::name)).toList();
    }

    /** The rows that say something of any of these. */
    private List<List<String>> cells(List<Summary> some) {
        return rows.stream().filter(row -> row.saysSomethingOf(some)).map(row -> row.cells(some)).toList();
    }

    /** All candidates in one line each figure. */
    List<String> header() {
        return header(summaries);
    }

    /** The same figures, and what went wrong. */
    List<List<String>> rowsWithErrors() {
        Row errors = new Row("error", summary -> summary.runs().stream().map(Measured::error).filter(Objects::nonNull)
                .collect(Collectors.joining("; ")));
        List<List<String>> all = new ArrayList<>(cells(summaries));
        if (errors.saysSomethingOf(summaries)) {
            all.add(errors.cells(summaries));
        }
        return all;
    }
}
