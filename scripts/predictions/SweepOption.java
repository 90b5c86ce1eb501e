package predictions;

import cli.Errors;
import cli.Units;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import kernel.Architecture;
import kernel.Settings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The option whose values are compared. */
public final class SweepOption {
    private static final Set<String> OPTIONS = Set.of("sndbuf", "chunk", "read-size", "interval", "arch");

    @Option(names = "--sweep", paramLabel = "OPTION=VALUE[,VALUE...]",
            description = "One row for each value of sndbuf, chunk, read-size, interval or arch.")
    private String sweep;
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** What the rest of the command line asks for. */
    @FunctionalInterface
    public interface Asked {
        /** @param architecture instead of the one asked for; null: that one */
        Settings on(Architecture architecture) throws IOException;
    }

    public boolean given() {
        return sweep != null;
    }

    /** The name of the option, once {@link #settings} has found that it can be swept. */
    public String option() {
        return sweep.split("=", 2)[0];
    }

    /** The settings for each value, by its text; a usage error if the option or a value is none. */
    public Map<String, Settings> settings(Asked asked) throws IOException {
        String[] parts = sweep.split("=", 2);
        Errors.check(spec, parts.length == 2 && OPTIONS.contains(parts[0]), "--sweep must be sndbuf, chunk, read-size,"
                + " interval or arch with values, as sndbuf=16k,64k: '" + sweep + "'");
        Map<String, Settings> settings = new LinkedHashMap<>();
        for (String value : parts[1].split(",", -1)) {
            try {
                Settings swept = swept(parts[0], value, asked);
                boolean derived = swept.machine().architecture().derived();
                settings.put(value + (parts[0].equals("arch") && derived ? " (derived)" : ""), swept);
            } catch (TypeConversionException e) {
                throw new ParameterException(spec.commandLine(),
                        "Invalid value for option '--" + parts[0] + "': " + e.getMessage());
            }
        }
        return settings;
    }

    private static Settings swept(String option, String value, Asked asked) throws IOException {
        return switch (option) {
            case "sndbuf" -> asked.on(null).withSndbuf(new Units.BufferSize().convert(value));
            case "chunk" -> asked.on(null).withChunk(new Units.BufferSize().convert(value));
            case "read-size" -> asked.on(null).withReadSize(new Units.BufferSize().convert(value));
            case "interval" -> asked.on(null).withInterval(new Units.Duration().convert(value));
            default -> asked.on(new MachineOptions.ArchitectureConverter().convert(value));
        };
    }
}
