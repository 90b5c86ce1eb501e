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
        out.write(String.join(",", Json.figures(runs.get(0)).keySet()) + "\n");
        for (Comparison.Run run : runs) {
            Map<String, JsonElement> figures = Json.figures(run).asMap();
            out.write(figures.values().stream().map(value -> value.isJsonNull() ? "" : value.getAsString())
                    .map(value -> value.matches("[^\",]*") ? value : '"' + value.replace("\"", "\"\"") + '"')
                    .collect(Collectors.joining(",")) + "\n");
        }
    }
}
