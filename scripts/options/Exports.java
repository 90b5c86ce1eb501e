package options;

import cli.Errors;
import cli.FileName;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import results.OutputFile;

/** Where the results go beside the table: to files, each in a format of its own, or one of them to standard output. */
public class Exports {
    @Option(names = "--export-json", paramLabel = "FILE", converter = FileName.class,
            description = "Write settings, figures and events to FILE; -: to standard output, and the table to standard"
                    + " error.")
    Path json;
    @Option(names = "--export-csv", paramLabel = "FILE", converter = FileName.class,
            description = "Write the figures of each run to FILE, or -.")
    Path csv;
    @Option(names = "--export-markdown", paramLabel = "FILE", converter = FileName.class,
            description = "Write the table to FILE, or -.")
    Path markdown;

    private OutputFile jsonFile;
    private OutputFile csvFile;
    private OutputFile markdownFile;

    /** Looks whether all can be written, and that no two go to the same place nor to a file that is read. */
    public void check(CommandSpec spec, Path... inputs) throws IOException {
        jsonFile = file(json, "--export-json", inputs);
        csvFile = file(csv, "--export-csv", inputs);
        markdownFile = file(markdown, "--export-markdown", inputs);
        List<OutputFile> given = given();
        for (int i = 1; i < given.size(); i++) {
            for (OutputFile before : given.subList(0, i)) {
                Errors.check(spec, !given.get(i).isSameAs(before), "two exports go to the same file");
            }
        }
    }

    private static OutputFile file(Path path, String option, Path... inputs) throws IOException {
        return path == null ? null : OutputFile.of(path, option, inputs);
    }

    private List<OutputFile> given() {
        return Stream.of(jsonFile, csvFile, markdownFile).filter(Objects::nonNull).toList();
    }

    /** Where the table goes: to standard error if an export takes standard output. */
    public PrintStream text() {
        return given().stream().anyMatch(OutputFile::isStandardOutput) ? System.err : System.out;
    }

    /** Writes those that were asked for. */
    public void write(OutputFile.Text asJson, OutputFile.Text asCsv, OutputFile.Text asMarkdown) throws IOException {
        write(jsonFile, asJson);
        write(csvFile, asCsv);
        write(markdownFile, asMarkdown);
    }

    private static void write(OutputFile file, OutputFile.Text text) throws IOException {
        if (file != null) {
            file.writeText(text);
        }
    }
}
