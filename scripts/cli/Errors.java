package cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Runs a command so that whatever goes wrong is one line on standard error, {@code script: what: why}, and an exit
 * status: 1 for what it could not do, standard output that cannot be written included, 2 for how it was called.
 */
public final class Errors {
    private Errors() { }

    /** Runs a picocli command to its end; the exit status. */
    public static int run(Object command, String... args) {
        CommandLine line = new CommandLine(command).setExpandAtFiles(false) // @ begins a name like any other
                .setParameterExceptionHandler((e, ignored) -> report(e.getCommandLine(), ExitCode.USAGE,
                        e.getMessage() + " (see --help)"))
                .setExecutionExceptionHandler((e, failed, ignored) -> report(failed, ExitCode.SOFTWARE, message(e)));
        int status = line.execute(args);
        return System.out.checkError() && status == ExitCode.OK
                ? report(line, ExitCode.SOFTWARE, "standard output: cannot be written to") : status;
    }

    private static int report(CommandLine command, int status, String message) {
        System.err.println(command.getCommandName() + ": " + message.replaceAll("\\p{Cntrl}+", " "));
        return status;
    }

    /** What went wrong in a line, without the name of the script. */
    public static String message(Exception e) {
        return e instanceof NoSuchFileException absent && absent.getReason() == null
                ? absent.getFile() + ": no such file or directory"
                : e instanceof AccessDeniedException denied ? denied.getFile() + ": permission denied"
                : e.getMessage() != null && (e instanceof IOException || !(e instanceof RuntimeException))
                ? e.getMessage() : "internal error: " + e + " at " + e.getStackTrace()[0];
    }

    /** An error to throw: the path or the option, and what is wrong with it. */
    public static FileSystemException problem(Object what, String why) {
        return new FileSystemException(what.toString(), null, why);
    }

    /** Refuses the options of a command, as a usage error, unless they are valid. */
    public static void check(CommandSpec spec, boolean valid, String problem) {
        if (!valid) {
            throw new ParameterException(spec.commandLine(), problem);
        }
    }
}
