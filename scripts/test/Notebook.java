import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A notebook as it is stored, with what its cells have put out. */
record Notebook(JsonObject json) {
    static final Path STORED = Path.of("notebooks");

    static Notebook read(Path file) throws IOException {
        return new Notebook(JsonParser.parseString(Files.readString(file)).getAsJsonObject());
    }

    /** The names of those of the kit. */
    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(STORED)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".ipynb")).sorted()
                    .toList();
        }
    }

    record Cell(JsonObject json) {
        boolean isCode() {
            return json.get("cell_type").getAsString().equals("code");
        }

        String source() {
            return text(json.get("source"));
        }

        List<Output> outputs() {
            return json.getAsJsonArray("outputs").asList().stream()
                    .map(output -> new Output(output.getAsJsonObject())).toList();
        }
    }

    record Output(JsonObject json) {
        String type() {
            return json.get("output_type").getAsString();
        }

        /** What it has of a MIME type; null if nothing. */
        String data(String mimeType) {
            JsonObject data = json.getAsJsonObject("data");
            return data == null || !data.has(mimeType) ? null : text(data.get(mimeType));
        }

        byte[] png() {
            String png = data("image/png");
            return png == null ? null : Base64.getMimeDecoder().decode(png);
        }

        /** The cells of its table, row by row; null if it has none. */
        List<List<String>> table() {
            String html = data("text/html");
            return html == null ? null : texts("(?s)<tr>(.*?)</tr>", html).stream()
                    .map(row -> texts("<t[hd]>(.*?)</t[hd]>", row)).toList();
        }

        boolean isFigure() {
            return png() != null || table() != null;
        }
    }

    List<Cell> cells() {
        return json.getAsJsonArray("cells").asList().stream().map(cell -> new Cell(cell.getAsJsonObject())).toList();
    }

    List<Cell> code() {
        return cells().stream().filter(Cell::isCode).toList();
    }

    List<Output> outputs() {
        return code().stream().flatMap(cell -> cell.outputs().stream()).toList();
    }

    List<List<List<String>>> tables() {
        return outputs().stream().map(Output::table).filter(table -> table != null).toList();
    }

    /** The first row with this label in a table: the texts in it, the label first. */
    List<String> row(String label) {
        return tables().stream().flatMap(List::stream).filter(row -> row.get(0).equals(label)).findFirst()
                .orElseThrow();
    }

    private static List<String> texts(String regex, String text) {
        List<String> found = new ArrayList<>();
        for (Matcher matcher = Pattern.compile(regex).matcher(text); matcher.find();) {
            found.add(matcher.group(1));
        }
        return found;
    }

    /** A text in a notebook: a string, or an array of lines. */
    private static String text(JsonElement text) {
        return text.isJsonArray()
                ? text.getAsJsonArray().asList().stream().map(JsonElement::getAsString).collect(Collectors.joining())
                : text.getAsString();
    }
}
