///usr/bin/env jbang "$0" "$@" ; exit $?
//DESCRIPTION Tell which unix-domain stream connection hangs, and who must act (Linux)
//JAVA 17+
//MAIN Stuck
//DEPS info.picocli:picocli:4.7.7
//DEPS com.google.code.gson:gson:2.13.2
//SOURCES stuck/Act.java
//SOURCES stuck/Call.java
//SOURCES stuck/CannotLook.java
//SOURCES stuck/Connecting.java
//SOURCES stuck/Direction.java
//SOURCES stuck/Doing.java
//SOURCES stuck/Finding.java
//SOURCES stuck/Holder.java
//SOURCES stuck/JsonLine.java
//SOURCES stuck/Judge.java
//SOURCES stuck/Look.java
//SOURCES stuck/Observation.java
//SOURCES stuck/Observer.java
//SOURCES stuck/Proc.java
//SOURCES stuck/Report.java
//SOURCES stuck/Room.java
//SOURCES stuck/Selection.java
//SOURCES stuck/SocketTable.java
//SOURCES stuck/Ss.java
//SOURCES stuck/StreamSocket.java
//SOURCES stuck/Task.java
//SOURCES stuck/Traffic.java
//SOURCES stuck/Wants.java
//SOURCES cli/Errors.java
//SOURCES cli/Units.java
//RUNTIME_OPTIONS -XX:+UseSerialGC -XX:TieredStopAtLevel=1

import cli.Errors;
import cli.Units;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import stuck.CannotLook;
import stuck.Finding;
import stuck.JsonLine;
import stuck.Observation;
import stuck.Report;
import stuck.Selection;

/**
 * Tells which unix-domain stream connection hangs, and who must act, from what ss and /proc say of both its ends.
 *
 * <p>Nothing is installed into the processes and nothing is disturbed: it runs ss several times and reads files of
 * /proc. It looks for 0.2 s, and for 0.6 s where something seems stuck, so that a slow reader is seen to read.
 *
 * <p>Limits: of a reader that pauses for longer than that it says that it has read nothing so long; {@code --watch 10s}
 * looks longer. One that empties the queue, which its writer fills at once, shows the same numbers at every look; there
 * the writer counts that was woken, in write or in a poll for nothing else, which a timeout or a signal does as well.
 * Bytes that are read and written between two looks are not seen, so bytes a second are "at least". That a write was
 * refused is not visible from outside: a writer that forgot to ask for room looks like an idle one, and both are said.
 * What a thread polls for is read from its memory, which another user's process, or Yama's ptrace_scope, may forbid.
 */
@Command(name = "stuck", version = "stuck 1.0", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Tells which unix-domain stream connection hangs, and who must act (Linux).",
        footer = {"", "Columns: UNREAD bytes this end has not read; CHARGED what the kernel charges it for what the"
            + " other has not read, against its send buffer; ROOM full: no write is accepted, no poll: a write would be"
            + " accepted, but poll does not report it, open: there is room.",
            "Exit status: 0 nothing is stuck, 1 something is, 2 usage, 3 cannot look."})
class Stuck implements Callable<Integer> {
    private static final int CANNOT_LOOK = 3;
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

    @Spec
    CommandSpec spec;
    @Option(names = "--pid", paramLabel = "PID", converter = Units.Count.class,
            description = "Only the connections of this process, idle ones too; may be repeated.")
    Set<Integer> pids = new LinkedHashSet<>();
    @Option(names = {"-s", "--socket"}, paramLabel = "PATH",
            description = "Only the connections of this listening path, or of @NAME, an abstract address; idle ones"
                    + " too; may be repeated.")
    List<String> addresses = new ArrayList<>();
    @Option(names = "--watch", paramLabel = "DURATION", converter = Units.Period.class,
            description = "Look again and again, and say what has changed since the last look.")
    Long watch;
    @Option(names = "--json", description = "Print a JSON object a connection, each on a line.")
    boolean json;

    public static void main(String... args) {
        System.exit(Errors.run(new Stuck(), args));
    }

    @Override
    public Integer call() {
        Errors.check(spec, addresses.stream().noneMatch(String::isEmpty),
                "Invalid value for option '--socket': it is empty");
        try {
            Observation observation = new Observation(new Selection(pids, addresses));
            boolean stuck;
            do {
                stuck = print(observation);
            } while (watch != null);
            return stuck ? 1 : 0;
        } catch (IOException e) {
            System.err.println("stuck: " + Errors.message(e));
            return CANNOT_LOOK;
        }
    }

    private boolean print(Observation observation) throws IOException {
        List<Finding> found = watch == null
                ? observation.observe(SHORT_NANOS, LONG_NANOS)
                : observation.observe(watch, watch);
        if (json) {
            found.forEach(finding -> System.out.println(JsonLine.format(finding, observation.seconds())));
        } else {
            System.out.print((watch == null ? "" : Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\n")
                    + Report.format(found, watch != null, observation.seconds()));
        }
        if (System.out.checkError()) {
            throw new CannotLook("standard output: cannot be written to");
        }
        if (observation.skipped() > 0) {
            System.err.println("stuck: ss: " + observation.skipped() + " lines could not be read and were skipped");
        }
        return found.stream().anyMatch(Finding::stuck);
    }
}
