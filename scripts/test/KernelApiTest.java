import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The kernel room as a program uses it that knows nothing of a command line, compiled with nothing but the room. */
class KernelApiTest {
    private static final String PROGRAM = """
            import java.util.List;
            import kernel.Architecture;
            import kernel.Machine;
            import kernel.Observer;
            import kernel.Prediction;
            import kernel.Settings;
            import kernel.Strategy;
            import kernel.Sweep;

            class Program {
                public static void main(String... args) throws Exception {
                    Settings settings = Settings.on(Machine.of(Architecture.X86_64));
                    Prediction.of(settings, Strategy.POLL, new Observer() {
                        @Override
                        public void wrote(long time, long bytes) {
                            System.out.println(time / 1_000_000_000 + " s: " + bytes);
                        }
                    });
                    for (Sweep.Row<Long> row : Sweep.over(List.of(16384L, 65536L), settings::withSndbuf,
                            List.of(Strategy.POLL))) {
                        System.out.println(row.value() + ": " + row.prediction().writes());
                    }
                }
            }
            """;

    /** The seed's writes and their times; a poll sender's writes by its send buffer. */
    @Test
    void aProgramOfAFewLinesPredictsAndSweeps() throws Exception {
        try (Kit kit = new Kit(); Stream<Path> room = Files.list(Path.of("scripts/kernel"))) {
            Path program = Files.writeString(kit.dir.resolve("Program.java"), PROGRAM);
            String bin = System.getProperty("java.home") + "/bin/";
            Stream<String> sources = Stream.concat(Stream.of(program), room)
                    .map(file -> file.toAbsolutePath().toString());
            Kit.Running javac = kit.run(Stream.concat(Stream.of(bin + "javac", "-proc:none", "-cp", "absent", "-d",
                    "classes"), sources).toArray(String[]::new));
            assertEquals(0, javac.await(), () -> javac.err().toString());
            Kit.Running java = kit.run(bin + "java", "-cp", "classes", "Program");
            assertEquals(0, java.await(), () -> java.err().toString());
            assertEquals(List.of("0 s: 219264", "8 s: 182720", "17 s: 182720", "26 s: 182720", "35 s: 182720",
                    "44 s: 98432", "16384: 33", "65536: 8"), java.out());
        }
    }
}
