package results;

import com.google.gson.JsonElement;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import results.ManyReaders.Delivery;
import results.ManyReaders.Run;

/** Writes and reads the file of many readers. */
public final class ReadersFile {
    private static final String OTHER = "is not of many readers; make one with compare --readers N --export-json";

    private ReadersFile() { }

    public static void write(ManyReaders result, Writer out) throws IOException {
        JsonWriter json = Json.GSON.newJsonWriter(out);
        Json.GSON.toJson(result, ManyReaders.class, json);
        json.flush();
        out.write('\n');
    }

    /** Writes the figures of runs, of which there is at least one, without their progress. */
    public static void writeCsv(List<Run> runs, Writer out) throws IOException {
        Csv.writeFigures(runs.stream().map(ReadersFile::figures).toList(), out);
    }

    private static Map<String, JsonElement> figures(Run run) {
        Run itself = new Run(run.way(), run.readers(), run.stuck(), run.error(), null, null, null);
        Map<String, JsonElement> figures = new LinkedHashMap<>();
        for (Record part : new Record[] {itself, run.delivery() == null ? Delivery.NONE : run.delivery(), run.cost()}) {
            Json.keys(part).asMap().forEach(figures::put);
        }
        figures.keySet().removeAll(Set.of("delivery", "cost", "progress"));
        return figures;
    }

    /**
     * Reads one.
     *
     * @throws FileSystemException with a line for the user: it cannot be read, is cut off, or is none
     */
    public static ManyReaders read(Path file) throws FileSystemException {
        return Json.read(file, ManyReaders.class, ReadersFile::isComplete, OTHER);
    }

    private static boolean isComplete(ManyReaders result) {
        return ManyReaders.KIND.equals(result.kind()) && result.version() == ManyReaders.VERSION
                && result.settings() != null && result.runs() != null && result.runs().stream().allMatch(
                        run -> run != null && run.way() != null && run.cost() != null);
    }
}
