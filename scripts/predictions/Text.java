package predictions;

import cli.TextTable;
import cli.Units;
import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kernel.Prediction;
import kernel.Settings;
import kernel.Strategy;

/** Predictions as text for a terminal. */
public final class Text {
    private Text() { }

    /** A row of the table. @param value of the option that is swept, or null */
    public record Row(String value, Prediction prediction) { }

    /** The figures. @param option that is swept, or null */
    public static String table(String option, List<Row> rows) {
        boolean beats = rows.get(0).prediction.beatsDue() != null;
        List<String> header = new ArrayList<>(List.of("strategy", "writes", "accepted", "delivered", "longest stall",
                "polls"));
        if (option != null) {
            header.add(1, option);
        }
        if (beats) {
            header.addAll(List.of("beats", "worst"));
        }
        return TextTable.format(header, rows.stream().map(Text::cells).toList());
    }

    private static List<String> cells(Row row) {
        Prediction run = row.prediction;
        List<String> cells = new ArrayList<>(List.of(run.strategy().toString(), "" + run.writes(),
                run.error() == null ? time(run.acceptedTime()) : "gave up", time(run.deliveredTime()),
                time(run.longestStall()), run.strategy() == Strategy.POLL ? "" + run.polls() : "-"));
        if (row.value != null) {
            cells.add(1, row.value);
        }
        if (run.beatsDue() != null) {
            cells.addAll(List.of(run.beatsRun() + "/" + run.beatsDue(), time(run.worstBeat())));
        }
        return cells;
    }

    /** What the user may not expect, in a line each: what the kernel makes of --sndbuf, an unknown kernel. */
    public static List<String> notes(Settings settings) {
        List<String> notes = new ArrayList<>();
        Long requested = settings.sndbuf();
        long effective = settings.effectiveSndbuf();
        if (requested != null && effective != 2 * requested) {
            notes.add("--sndbuf: " + requested + (effective < 2 * requested ? " is over net.core.wmem_max, "
                    + settings.machine().wmemMax() : " is under the kernel's minimum")
                    + "; the kernel makes it a send buffer of " + effective);
        }
        if (settings.machine().unmeasured() != null) {
            notes.add(settings.machine().unmeasured());
        }
        return notes;
    }

    /** Nanoseconds as seconds with their unit. */
    public static String time(long nanos) {
        return Units.plainSeconds(nanos).toPlainString() + " s";
    }

    /** Sentences by their name, at most 80 characters a line, with no line break between a number and its unit. */
    public static String sentences(Map<String, String> sentences) {
        sentences.replaceAll((name, text) -> text.replaceAll("(\\d) (?=bytes?\\b|skbs?\\b|s\\b)", "$1\u00a0"));
        return TextTable.withoutMargins(AsciiTable.builder().border(AsciiTable.NO_BORDERS).lineSeparator("\n")
                .data(sentences.entrySet(), List.of(
                new Column().dataAlign(HorizontalAlign.LEFT).with(Map.Entry::getKey),
                new Column().dataAlign(HorizontalAlign.LEFT).maxWidth(66).with(Map.Entry::getValue))).asString())
                .replace('\u00a0', ' ');
    }
}
