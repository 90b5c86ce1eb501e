package measure;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Ends the children when compare cannot do it, as it was killed by SIGKILL: a shell in a session of its own waits for
 * the end of its standard input, of which compare holds the other end, and then kills the process groups that it was
 * told last.
 */
final class Watchdog {
    private static final String PROGRAM = "while read -r line; do groups=$line; done;"
            + " for group in $groups; do kill -s KILL -- \"-$group\"; done";

    private final OutputStream groups;

    Watchdog() throws IOException {
        Process shell = new ProcessBuilder(Children.SETSID.toString(), "sh", "-c", PROGRAM).directory(new File("/"))
                .redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD).start();
        groups = shell.getOutputStream();
    }

    /** From now on these are to be killed; none: when all have ended. */
    void watch(List<Process> leaders) throws IOException {
        String line = leaders.stream().map(leader -> Long.toString(leader.pid())).collect(Collectors.joining(" "));
        groups.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
        groups.flush();
    }
}
