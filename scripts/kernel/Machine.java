package kernel;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the model needs to know of a Linux machine; sizes in bytes.
 *
 * @param kernel      its release as {@code uname -r} has it, or null: no particular one
 * @param wmemDefault net.core.wmem_default, the send buffer that nobody set
 * @param wmemMax     net.core.wmem_max, the most that SO_SNDBUF gets, before doubling
 */
public record Machine(Architecture architecture, String kernel, long pageSize, long wmemDefault, long wmemMax) {
    /** The kernels whose recorded runs the model makes, every write to the byte. */
    public static final String MEASURED = "5.10, 6.1, 6.12 and 6.18 on x86_64, 5.10 and 6.12 on aarch64,"
            + " 6.1 on ppc64le, 5.10, 6.1 and 6.5 on i386, 6.1 and 6.12 on armhf";
    private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*");
    /** The type of the page size in the auxiliary vector: include/uapi/linux/auxvec.h. */
    private static final long AT_PAGESZ = 6;

    /** A machine of an architecture as its kernel comes, with nothing set. */
    public static Machine of(Architecture architecture) {
        return new Machine(architecture, null, architecture.pageSize, architecture.wmemDefault(),
                architecture.wmemDefault());
    }

    /** This machine; an IOException of one line where that is not to be found out: not Linux, or a container. */
    public static Machine local() throws IOException {
        return local(null, null, null);
    }

    /** This machine, but for what is given; only what is null is looked up. */
    public static Machine local(Long pageSize, Long wmemDefault, Long wmemMax) throws IOException {
        String kernel = System.getProperty("os.name").equals("Linux") ? System.getProperty("os.version") : null;
        return new Machine(Architecture.local(), kernel, pageSize == null ? auxvPageSize() : pageSize,
                wmemDefault == null ? sysctl("wmem_default") : wmemDefault,
                wmemMax == null ? sysctl("wmem_max") : wmemMax);
    }

    /** This one, but for what is not null. */
    public Machine with(Long newPageSize, Long newWmemDefault, Long newWmemMax) {
        return new Machine(architecture, kernel, newPageSize == null ? pageSize : newPageSize,
                newWmemDefault == null ? wmemDefault : newWmemDefault, newWmemMax == null ? wmemMax : newWmemMax);
    }

    /** Null on a kernel like those measured, else in words why the model may be wrong here, and what was measured. */
    public String unmeasured() {
        String what = architecture.derived() ? architecture.toString()
                : kernel != null && !measured(kernel) ? "Linux " + kernel : null;
        return what == null ? null : "the model was never measured on " + what + ", only on Linux " + MEASURED;
    }

    /** From 5.10 to 6.18, whatever is behind the second number. */
    private static boolean measured(String release) {
        Matcher numbers = RELEASE.matcher(release);
        if (!numbers.matches()) {
            return false;
        }
        int version = Integer.parseInt(numbers.group(1)) * 10_000 + Integer.parseInt(numbers.group(2));
        return version >= 5_0010 && version <= 6_0018;
    }

    /** AT_PAGESZ in the auxiliary vector of this process, where getpagesize(3) finds it too. */
    private static long auxvPageSize() throws IOException {
        Path file = Path.of("/proc/self/auxv");
        try {
            return pageSize(Files.readAllBytes(file));
        } catch (IOException | BufferUnderflowException e) {
            throw unknown(file);
        }
    }

    /**
     * The page size in an auxiliary vector, which is pairs of words, of 8 bytes or, in a 32-bit process, of 4.
     *
     * @throws BufferUnderflowException if it is not there
     */
    public static long pageSize(byte[] auxv) {
        try {
            ByteBuffer words = ByteBuffer.wrap(auxv).order(ByteOrder.nativeOrder());
            while (words.getLong() != AT_PAGESZ) {
                words.getLong();
            }
            return words.getLong();
        } catch (BufferUnderflowException e) { // a pair of 4 bytes each never is a word of 8 bytes with that type
            ByteBuffer words = ByteBuffer.wrap(auxv).order(ByteOrder.nativeOrder());
            while (words.getInt() != AT_PAGESZ) {
                words.getInt();
            }
            return words.getInt();
        }
    }

    private static long sysctl(String name) throws IOException {
        Path file = Path.of("/proc/sys/net/core", name);
        try {
            return Long.parseLong(Files.readAllLines(file).get(0)); // readString reads twice, which gets nothing
        } catch (IOException e) {
            throw unknown(file);
        }
    }

    private static IOException unknown(Path file) {
        return new IOException(file + ": cannot be read; describe the Linux machine to predict for");
    }
}
