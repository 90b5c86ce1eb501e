package stuck;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs ss, of iproute2. */
public final class Ss {
    private Ss() { }

    /** All sockets, with the processes that hold them: ss walks the descriptors of all processes for that. */
    public static SocketTable withProcesses() throws IOException {
        SocketTable table = run("-xaempOH");
        if (table.all().isEmpty() && table.skipped() > 0) {
            throw new CannotLook("ss: none of its " + table.skipped() + " lines can be read; it must be of iproute2 5"
                    + " or later, and the kernel have unix_diag (modprobe unix_diag)");
        }
        return table;
    }

    /** The numbers alone, for a few milliseconds of CPU. */
    public static SocketTable numbers() throws IOException {
        return run("-xemOH");
    }

    private static SocketTable run(String options) throws IOException {
        Process ss = start(options);
        try (BufferedReader lines = ss.inputReader(StandardCharsets.UTF_8)) {
            SocketTable table = SocketTable.read(lines.lines()::iterator);
            String problem = new String(ss.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (ss.waitFor() != 0) {
                throw new CannotLook("ss: exit status " + ss.exitValue() + ": " + problem);
            }
            return table;
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        } finally {
            ss.destroy();
        }
    }

    private static Process start(String options) throws IOException {
        try {
            return new ProcessBuilder(List.of("ss", options)).start();
        } catch (IOException e) {
            throw new CannotLook("ss: not found; install iproute2 (Debian: apt install iproute2)");
        }
    }
}
