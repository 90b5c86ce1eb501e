package kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The struct sizes of a kernel by its architecture, in bytes. They follow from the word size and from the cache line,
 * to which the structs are aligned; those not derived were found in recorded runs.
 */
public enum Architecture {
    X86_64(320, 256, 4096, "x86_64", "amd64", "x86-64"),
    /** Also what a 32-bit process sees there, armv8l. */
    AARCH64(320, 256, 4096, "aarch64", "arm64", "armv8l"),
    /** Cache lines of 128 bytes. */
    PPC64LE(384, 256, 65536, "ppc64le", "ppc64el", "powerpc64le"),
    I386(256, 192, 4096, "i386", "i486", "i586", "i686", "x86"),
    ARMHF(256, 192, 4096, "armhf", "armv7l", "armv7", "arm"),
    /** Cache lines of 64 bytes: arch/riscv/include/asm/cache.h. */
    RISCV64(320, 256, 4096, "riscv64"),
    /** Cache lines of 256 bytes: arch/s390/include/asm/cache.h. */
    S390X(512, 256, 4096, "s390x");

    /** Of which no run was recorded. */
    private static final Set<Architecture> DERIVED = Set.of(RISCV64, S390X);

    /** struct skb_shared_info at the end of each head, aligned to a cache line: include/linux/skbuff.h. */
    public final long shinfo;
    /** struct sk_buff, aligned to a cache line: include/linux/skbuff.h. */
    public final long skBuff;
    /** The page size that most kernels of the architecture are built with. */
    public final long pageSize;
    private final List<String> spellings;

    Architecture(long shinfo, long skBuff, long pageSize, String... spellings) {
        this.shinfo = shinfo;
        this.skBuff = skBuff;
        this.pageSize = pageSize;
        this.spellings = List.of(spellings);
    }

    /** Whether its sizes were only taken from the kernel's source. */
    public boolean derived() {
        return DERIVED.contains(this);
    }

    /** Smallest send buffer, two skbs of 2048 bytes: SOCK_MIN_SNDBUF in include/net/sock.h. */
    public long minSndbuf() {
        return 2 * (2048 + skBuff);
    }

    /** What net.core.wmem_default and wmem_max are when nobody set them: SK_WMEM_DEFAULT in net/core/sock.c. */
    public long wmemDefault() {
        return 256 * (256 + skBuff + shinfo);
    }

    /**
     * By its name in any case, as {@code uname -m} and Java's {@code os.arch} spell it.
     *
     * @throws IllegalArgumentException if there is none; the message lists those there are
     */
    public static Architecture of(String name) {
        return Arrays.stream(values()).filter(known -> known.spellings.contains(name.toLowerCase(Locale.ROOT)))
                .findFirst().orElseThrow(() -> new IllegalArgumentException("'" + name + "' is not an architecture"
                + " that the model knows: " + Arrays.stream(values()).map(Architecture::toString)
                .collect(Collectors.joining(", "))));
    }

    /**
     * That of this machine's kernel, whatever the JVM was built for.
     *
     * @throws IOException if the model does not know it
     */
    public static Architecture local() throws IOException {
        String name = machineHardware();
        try {
            return of(name);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage() + "; describe the Linux machine to predict for");
        }
    }

    /** A 32-bit JVM on a 64-bit kernel has os.arch of 32 bits; /proc tells since Linux 6.1, uname always did. */
    private static String machineHardware() throws IOException {
        Path told = Path.of("/proc/sys/kernel/arch");
        if (Files.isReadable(told)) {
            return Files.readAllLines(told).get(0);
        }
        try {
            Process uname = new ProcessBuilder("uname", "-m").redirectErrorStream(true).start();
            String name = new String(uname.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return uname.waitFor() == 0 ? name : System.getProperty("os.arch");
        } catch (IOException e) {
            return System.getProperty("os.arch"); // no uname here
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return System.getProperty("os.arch");
        }
    }

    /** Its usual name, marked where the sizes are derived. */
    @Override
    public String toString() {
        return spellings.get(0) + (derived() ? " (derived)" : "");
    }
}
