import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import kernel.Architecture;
import kernel.Machine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines: this one, those of an architecture, and which of them the model was measured on. */
class MachineTest {
    /** getconf, uname and the files of /proc tell the same in another way. */
    @Test
    void knowsThisMachine() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running peer = kit.run("sh", "-c", "getconf PAGESIZE; cat /proc/sys/net/core/wmem_default"
                    + " /proc/sys/net/core/wmem_max; uname -m; uname -r");
            assertEquals(0, peer.await());
            List<String> told = peer.out();
            assertEquals(new Machine(Architecture.of(told.get(3)), told.get(4), Long.parseLong(told.get(0)),
                    Long.parseLong(told.get(1)), Long.parseLong(told.get(2))), Machine.local());
        }
    }

    /** A 32-bit JVM on a 64-bit kernel has an os.arch of 32 bits; predict says what it took for the machine. */
    @Test
    void takesTheArchitectureFromTheKernelAndNotFromTheJvm() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = kit.run(System.getProperty("java.home") + "/bin/java", "-Dos.arch=arm", "-cp",
                    System.getProperty("java.class.path"), "Predict", "--explain");
            assertEquals(0, predict.await());
            String machine = "machine      " + Machine.local().architecture() + ", this machine's: ";
            assertTrue(predict.out().get(0).startsWith(machine), predict.out().get(0));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void findsThePageSizeInAuxiliaryVectorsOfBothWordSizes(int wordSize) {
        long[] entries = {33, 0x7ffd1000L, 16, 0x178bfbff, 6, 65536, 17, 100, 0, 0};
        ByteBuffer auxv = ByteBuffer.allocate(entries.length * wordSize).order(ByteOrder.nativeOrder());
        for (long word : entries) {
            if (wordSize == 4) {
                auxv.putInt((int) word);
            } else {
                auxv.putLong(word);
            }
        }
        assertEquals(65536, Machine.pageSize(auxv.array()));
        assertThrows(BufferUnderflowException.class, () -> Machine.pageSize(new byte[4 * wordSize]));
    }

    @ParameterizedTest
    @CsvSource({"x86_64 amd64 X86-64, 4608, 212992, 4096", "aarch64 arm64, 4608, 212992, 4096",
        "ppc64le ppc64el, 4608, 229376, 65536", "i386 i486 i586 i686 x86, 4480, 180224, 4096",
        "armhf armv7l arm, 4480, 180224, 4096", "riscv64, 4608, 212992, 4096", "s390x, 4608, 262144, 4096"})
    void architectureGivesTheDefaults(String names, long minSndbuf, long wmemDefault, long pageSize) {
        for (String name : names.split(" ")) {
            Architecture architecture = Architecture.of(name);
            assertEquals(minSndbuf, architecture.minSndbuf());
            assertEquals(new Machine(architecture, null, pageSize, wmemDefault, wmemDefault),
                    Machine.of(architecture));
        }
    }

    @Test
    void unknownArchitectureListsTheKnownOnes() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Architecture.of("vax"));
        assertEquals("'vax' is not an architecture that the model knows: x86_64, aarch64, ppc64le, i386, armhf,"
                + " riscv64 (derived), s390x (derived)", e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"5.10.0-32-cloud-amd64, true", "6.18.44-fc-v1300, true", "6.18, true", "6.2.0, true", "5.9.16, false",
        "4.19.0-27-amd64, false", "6.19.0-rc1, false", "7.0.1, false", "unknown, false"})
    void saysOnWhichKernelsItWasNeverMeasured(String release, boolean measured) {
        String words = new Machine(Architecture.X86_64, release, 4096, 212992, 212992).unmeasured();
        assertEquals(measured, words == null);
        assertTrue(measured || words.startsWith("the model was never measured on Linux " + release + ", only on Linux "
                + Machine.MEASURED), words);
    }

    @Test
    void derivedArchitecturesWereNeverMeasured() {
        for (Architecture architecture : Architecture.values()) {
            Machine machine = Machine.of(architecture);
            if (architecture.derived()) {
                assertTrue(machine.unmeasured().contains(architecture + ", only on Linux"));
                assertTrue(architecture.toString().endsWith(" (derived)"));
            } else {
                assertNull(machine.unmeasured());
            }
        }
    }
}
