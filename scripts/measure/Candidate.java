package measure;

import kernel.Strategy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * What is compared: a sender of the kit, with its strategy, or a shell command.
 *
 * @param strategy null for a command
 * @param command null for a sender of the kit; {@code {socket}} in it becomes the path of the socket
 */
public record Candidate(String name, Strategy strategy, String command) {
    public static Candidate of(Strategy strategy) {
        return new Candidate(strategy + "-sender", strategy, null);
    }

    /** What it lacks here, in words; null if it can run. */
    public String lack() {
        return strategy != Strategy.VIRTUAL || VirtualThreads.exist() ? null
                : "it needs JDK " + VirtualThreads.JDK + " or later; this is " + Runtime.version().feature();
    }

    /** A shell command with the name that it has in the table. */
    public static class NamedCommand implements ITypeConverter<Candidate> {
        @Override
        public Candidate convert(String text) {
            String[] parts = text.split("=", 2);
            if (parts.length < 2 || parts[0].isBlank() || !parts[0].matches("\\P{Cntrl}+") || parts[1].isBlank()) {
                throw new TypeConversionException("'" + text + "' is not a name and a command such as"
                        + " 'socat=socat -u OPEN:/tmp/file UNIX-CONNECT:{socket}'");
            }
            return new Candidate(parts[0], null, parts[1]);
        }
    }
}
