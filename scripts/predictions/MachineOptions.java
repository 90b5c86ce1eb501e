package predictions;

import cli.Errors;
import cli.Units;
import java.io.IOException;
import kernel.Architecture;
import kernel.Machine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The machine to predict for. */
public final class MachineOptions {
    @Option(names = "--arch", paramLabel = "ARCH", converter = ArchitectureConverter.class,
            description = "Architecture of its kernel, as uname -m or Java's os.arch spell it; the three sizes below"
                    + " are then its kernel's defaults (default: this machine's).")
    private Architecture architecture;
    @Option(names = "--page-size", paramLabel = "SIZE", converter = Units.Size.class,
            description = "Page size of the machine (default: this machine's).")
    private Long pageSize;
    @Option(names = "--wmem-default", paramLabel = "SIZE", converter = Units.BufferSize.class,
            description = "net.core.wmem_default, the send buffer without --sndbuf (default: this machine's).")
    private Long wmemDefault;
    @Option(names = "--wmem-max", paramLabel = "SIZE", converter = Units.BufferSize.class,
            description = "net.core.wmem_max, the most that --sndbuf gets, before doubling (default: this machine's).")
    private Long wmemMax;
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    /** Whether it is the one that this runs on, which may have been given other sizes. */
    public boolean isLocal() {
        return architecture == null;
    }

    /**
     * The machine of the options; a usage error if there cannot be one.
     *
     * @param other an architecture instead of the one asked for, or null
     */
    public Machine machine(Architecture other) throws IOException {
        Errors.check(spec, pageSize == null || Long.bitCount(pageSize) == 1 && pageSize >= 4096
                && pageSize <= 256 << 10, "--page-size must be a power of two from 4k to 256k");
        Architecture asked = other == null ? architecture : other;
        try {
            long least = (asked == null ? Architecture.local() : asked).minSndbuf();
            for (Long wmem : new Long[] {wmemDefault, wmemMax}) {
                Errors.check(spec, wmem == null || wmem >= least,
                        "--wmem-default and --wmem-max must be at least the kernel's minimum, " + least);
            }
            return asked == null ? Machine.local(pageSize, wmemDefault, wmemMax)
                    : Machine.of(asked).with(pageSize, wmemDefault, wmemMax);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + " with --arch");
        }
    }

    /** What the model took for the machine, in a sentence that says of each number whose it is. */
    public String origins(Machine machine) {
        Architecture known = machine.architecture();
        return known + (architecture == null ? ", this machine's" : ", as asked for") + ": skb_shared_info takes "
                + known.shinfo + " bytes and sk_buff " + known.skBuff + (known.derived()
                ? ", derived from the cache line in the kernel's source" : ", as measured there")
                + "; page size " + machine.pageSize() + ", " + whose(pageSize, "--page-size")
                + "; net.core.wmem_default " + machine.wmemDefault() + ", " + whose(wmemDefault, "--wmem-default")
                + "; net.core.wmem_max " + machine.wmemMax() + ", " + whose(wmemMax, "--wmem-max");
    }

    private String whose(Long given, String option) {
        return given != null ? "from " + option
                : architecture != null ? "the default of " + architecture : "this machine's";
    }

    /** An architecture by its name. */
    public static final class ArchitectureConverter implements ITypeConverter<Architecture> {
        @Override
        public Architecture convert(String text) {
            try {
                return Architecture.of(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
