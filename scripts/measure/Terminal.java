package measure;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;

/** The terminal that a stream of this process goes to, if any. */
public final class Terminal {
    private static final int USUAL_COLUMNS = 80;

    private Terminal() { }

    /** Its columns; 0 when there is none. stty(1) asks the terminal that it is given as a stream. */
    static int columns(PrintStream stream) throws IOException, InterruptedException {
        ProcessBuilder stty = stream == System.err
                ? new ProcessBuilder("sh", "-c", "stty size <&2 2>/dev/null").redirectError(Redirect.INHERIT)
                : new ProcessBuilder("sh", "-c", "stty size <&1 >&2 2>/dev/null").redirectOutput(Redirect.INHERIT);
        Process process = stty.start();
        try (InputStream in = stream == System.err ? process.getInputStream() : process.getErrorStream()) {
            String size = new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
            return process.waitFor() != 0 ? 0 : size.endsWith(" 0") ? USUAL_COLUMNS
                    : Integer.parseInt(size.split(" ")[1]);
        }
    }

    /** Columns of the terminal of standard error where moving output is welcome; 0 elsewhere. */
    static int progressColumns() throws IOException, InterruptedException {
        String noColor = System.getenv("NO_COLOR");
        return noColor == null || noColor.isEmpty() ? columns(System.err) : 0;
    }

    /** A sentence in lines of at most 79 characters, each ended. */
    public static String wrap(String sentence) {
        return sentence.replaceAll("(.{1,79})(?: +|$)", "$1\n");
    }
}
