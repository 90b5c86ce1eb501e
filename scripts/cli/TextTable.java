package cli;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.List;

/** A table of text without borders: the first column to the left, the others to the right, two spaces between them. */
public final class TextTable {
    private TextTable() { }

    /** @param header null: none. Ends with a line feed. */
    public static String format(List<String> header, List<List<String>> rows) {
        int width = header != null ? header.size() : rows.isEmpty() ? 0 : rows.get(0).size();
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < width; i++) {
            HorizontalAlign align = i == 0 ? HorizontalAlign.LEFT : HorizontalAlign.RIGHT;
            columns.add(new Column().header(header == null ? null : header.get(i)).headerAlign(align).dataAlign(align));
        }
        return withoutMargins(AsciiTable.builder().border(AsciiTable.NO_BORDERS).lineSeparator("\n")
                .data(columns.toArray(Column[]::new), rows.stream().map(List::toArray).toArray(Object[][]::new))
                .asString());
    }

    /** What the library leaves around a table whose borders are not drawn. */
    public static String withoutMargins(String table) {
        return table.replaceAll("(?m)^ | +$", "") + "\n";
    }
}
