package lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs compare and predict from a cell: the scripts themselves, as from the command line. */
final class Script {
    private static final Path HERE = Path.of("").toAbsolutePath();
    private static final int LOOK_MILLIS = 200;

    private Script() { }

    /** Reads an export. */
    interface Format<T> {
        T read(Path file) throws IOException;
    }

    /** What a script exports; with the runs that failed, if it got as far as a run. */
    static <T> T export(String mainClass, Format<T> format, String... options)
            throws IOException, InterruptedException {
        try (Bench bench = new Bench()) {
            Path export = bench.dir.resolve("export.json");
            List<String> arguments = new ArrayList<>(List.of(options));
            arguments.add("--export-json=" + export);
            int status = await(bench, mainClass, arguments);
            if (status != 0 && !Files.exists(export)) {
                throw new Failure(bench.printed(mainClass, ".err"), status);
            }
            return format.read(export);
        }
    }

    /** What a script prints. */
    static String text(String mainClass, String... options) throws IOException, InterruptedException {
        try (Bench bench = new Bench()) {
            int status = await(bench, mainClass, List.of(options));
            if (status != 0) {
                throw new Failure(bench.printed(mainClass, ".err"), status);
            }
            return bench.printed(mainClass, ".out");
        }
    }

    private static int await(Bench bench, String mainClass, List<String> arguments)
            throws IOException, InterruptedException {
        Progress progress = new Progress();
        Process process = bench.start(HERE, mainClass, arguments);
        while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
            progress.running(bench.printed(mainClass, ".err"));
        }
        progress.end(bench.printed(mainClass, ".err"));
        return process.exitValue();
    }

    /** A script that failed, in the words that it printed last. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure(String errors, int status) {
            super(errors.isBlank() ? "exit status " + status : errors.strip().replaceFirst("(?s).*\n", ""), null,
                    false, false); // the trace would show how the cell was run, not what is wrong in it
        }
    }
}
