package results;

import com.google.gson.JsonElement;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The figures of runs as comma-separated values: a line of their keys, and one for each run. */
public final class Csv {
    private Csv() { }

    /** Writes the runs, of which there is at least one. */
    public static void write(List<Comparison.Run> runs, Writer out) throws IOException {
        writeFigures(runs.stream().map(run -> Json.figures(run).asMap()).toList(), out);
    }

    static void writeFigures(List<Map<String, JsonElement>> runs, Writer out) throws IOException {
        out.write(String.join(",", runs.get(0).keySet()) + "\n");
        for (Map<String, JsonElement> figures : runs) {
            out.write(figures.values().stream().map(value -> value.isJsonNull() ? "" : value.getAsString())
                    .map(value -> value.matches("[^\",]*") ? value : '"' + value.replace("\"", "\"\"") + '"')
                    .collect(Collectors.joining(",")) + "\n");
        }
    }
}
