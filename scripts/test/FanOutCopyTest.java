import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The strategy of fan-out-sender as it is copied: alone, over the JDK's own channels, and small. */
class FanOutCopyTest {
    private static final Path SCRIPT = Path.of("scripts/fan-out-sender.java").toAbsolutePath();
    private static final String PROGRAM = """
            class Copied {
                public static void main(String... args) throws IOException {
                    try (java.nio.channels.FileChannel input = java.nio.channels.FileChannel.open(Path.of("input"));
                            ServerSocketChannel server = args[0].equals("unix")
                                    ? ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)
                                    : ServerSocketChannel.open()) {
                        server.bind(args[0].equals("unix") ? java.net.UnixDomainSocketAddress.of("copied.sock")
                                : new java.net.InetSocketAddress("127.0.0.1", 0));
                        System.err.println("at " + server.getLocalAddress().toString().replaceAll(".*:", ""));
                        fanOut(server, input, new Ring(1 << 16), new Rules(3, Long.MAX_VALUE, Lag.skip, 60_000),
                                (reader, event, bytes) -> System.out.println(reader + " " + event + " " + bytes));
                    }
                }

            """;

    /** The strategy and what is nested for it, to the letter. */
    private static String strategy(String script) {
        return script.substring(script.indexOf("    enum Lag"), script.indexOf("    @Option("));
    }

    private static void compile(Kit kit, String script) throws IOException, InterruptedException {
        String imports = script.lines().filter(line -> line.startsWith("import java."))
                .collect(Collectors.joining("\n"));
        Files.writeString(kit.dir.resolve("Copied.java"), imports + "\n" + PROGRAM + strategy(script) + "}\n");
        Kit.Running javac = kit.run(System.getProperty("java.home") + "/bin/javac", "-d", ".", "Copied.java");
        assertEquals(0, javac.await(), () -> javac.err().toString());
    }

    @ParameterizedTest
    @CsvSource({"unix, UNIX-CONNECT:copied.sock", "tcp, TCP:127.0.0.1:"})
    void aCopyServesReadersOverTheChannelsOfTheJdk(String kind, String address) throws Exception {
        try (Kit kit = new Kit()) {
            byte[] input = new byte[3 << 20];
            new Random(3).nextBytes(input);
            Files.write(kit.dir.resolve("input"), input);
            compile(kit, Files.readString(SCRIPT));
            Kit.Running copy = kit.run(System.getProperty("java.home") + "/bin/java", "Copied", kind);
            String port = copy.awaitErr(line -> line.startsWith("at ")).substring(3);
            String place = kind.equals("tcp") ? address + port : address;
            List<Kit.Running> readers = List.of(reader(kit, place), reader(kit, place), reader(kit, place));
            for (Kit.Running reader : readers) {
                assertEquals(0, reader.await(), () -> reader.err().toString());
            }
            assertEquals(0, copy.await(), () -> copy.err().toString());
            assertEquals(3L * input.length, copy.out().stream().filter(line -> line.matches("[123] wrote \\d+"))
                    .mapToLong(line -> Long.parseLong(line.split(" ")[2])).sum());
            assertTrue(copy.out().stream().noneMatch(line -> line.contains("skipped")), () -> copy.out().toString());
        }
    }

    /** A reader that compares what it gets with the input. */
    private static Kit.Running reader(Kit kit, String address) throws IOException {
        return kit.run("sh", "-c", "socat -u " + address + " - | cmp - input");
    }

    @Test
    void theStrategyFitsOnAScreen() throws IOException {
        List<String> lines = Files.readAllLines(SCRIPT);
        int start = 0;
        while (!lines.get(start).startsWith("    static void fanOut(")) {
            start++;
        }
        int end = start + lines.subList(start, lines.size()).indexOf("    }");
        assertTrue(end > start && end - start < 40, "fanOut ends " + (end - start) + " lines after it begins");
        assertTrue(lines.stream().allMatch(line -> line.length() <= 120));
    }
}
