package lab;

import io.github.spencerpark.jupyter.kernel.display.DisplayData;
import io.github.spencerpark.jupyter.kernel.display.DisplayDataRenderable;
import io.github.spencerpark.jupyter.kernel.display.RenderContext;
import java.util.List;
import java.util.stream.Collectors;

/** Figures side by side, as the output of a cell. The first cell of each row says what is in it. */
public record Table(List<String> header, List<List<String>> rows) implements DisplayDataRenderable {
    @Override
    public void render(RenderContext context) {
        DisplayData out = context.getOutputContainer();
        out.putText(toString());
        out.putHTML("<table>\n<thead>\n" + row(header, "th") + "</thead>\n<tbody>\n"
                + rows.stream().map(cells -> row(cells, "td")).collect(Collectors.joining()) + "</tbody>\n</table>\n");
    }

    private static String row(List<String> cells, String tag) {
        return "<tr>" + element("th", cells.get(0))
                + cells.stream().skip(1).map(cell -> element(tag, cell)).collect(Collectors.joining()) + "</tr>\n";
    }

    private static String element(String tag, String text) {
        return "<" + tag + ">" + text.replace("&", "&amp;").replace("<", "&lt;") + "</" + tag + ">";
    }

    @Override
    public String toString() {
        return "table: " + header.stream().skip(1).collect(Collectors.joining(", "));
    }
}
