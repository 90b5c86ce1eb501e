package results;

import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.stream.Collectors;

/** A table in Markdown: the first column to the left, the others to the right. */
public final class Markdown {
    private Markdown() { }

    public static void write(List<String> header, List<List<String>> rows, Writer out) throws IOException {
        out.write(line(header) + "|:---|" + "---:|".repeat(header.size() - 1) + "\n");
        for (List<String> row : rows) {
            out.write(line(row));
        }
    }

    private static String line(List<String> cells) {
        return cells.stream().map(cell -> cell.strip().replace("|", "\\|")) // a bar ends the cell
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }
}
