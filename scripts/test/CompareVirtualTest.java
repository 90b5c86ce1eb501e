import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The virtual sender in a comparison, on the JDKs that have it and on those that have not. */
@Isolated("exact patterns want the machine for themselves")
class CompareVirtualTest {
    private static final List<Long> LIKE_POLL = List.of(219264L, 182720L, 182720L, 182720L, 182720L, 98432L);
    private static final int FIRST = 21;

    private static int feature(Kit kit, Path jdk) throws Exception {
        Kit.Running java = kit.run(jdk.resolve("bin/java").toString(), "-version");
        java.await();
        return Integer.parseInt(java.err().get(0).replaceAll(".*version \"(\\d+).*", "$1"));
    }

    /** On the JDK of the tests that may be the reason to leave it out, on another it is measured. */
    @ParameterizedTest
    @MethodSource("StandaloneTest#jdks")
    void virtualIsMeasuredWhereTheJdkHasIt(Path jdk) throws Exception {
        try (Kit kit = new Kit()) {
            List<String> command = new ArrayList<>(CompareTest.command(kit, "--interval", "30ms", "--sender",
                    "virtual-sender", "--sender", "poll", "--export-json", "a.json"));
            command.set(0, jdk.resolve("bin/java").toString());
            Kit.Running compare = kit.run(command.toArray(String[]::new));
            assertEquals(0, compare.await(), () -> compare.err().toString());
            List<JsonObject> runs = CompareFiguresTest.runs(CompareFiguresTest.json(kit, "a.json"));
            int feature = feature(kit, jdk);
            String leftOut = "compare: virtual-sender is left out: it needs JDK 21 or later; this is " + feature;
            assertEquals(feature < FIRST, compare.err().contains(leftOut), () -> compare.err().toString());
            if (feature >= FIRST) {
                JsonObject run = runs.get(1);
                assertEquals("virtual", CompareFiguresTest.text(run, "strategy"));
                assertEquals(LIKE_POLL, CompareFiguresTest.writes(run));
                assertTrue(run.get("intact").getAsBoolean());
                assertTrue(run.get("beats_run").getAsInt() > run.get("beats_due").getAsInt() / 2, run::toString);
                assertTrue(String.join(" ", compare.out()).contains("predicts every write to the byte"));
            } else {
                assertEquals(1, runs.size());
            }
        }
    }

    @Test
    void nothingIsLeftWhereTheJdkHasNone() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running compare = CompareTest.compare(kit, "--sender", "virtual", "--interval", "1ms");
            boolean exists = Runtime.version().feature() >= FIRST;
            assertEquals(exists ? 0 : 2, compare.await());
            assertEquals(exists, compare.err().stream().noneMatch(line -> line.startsWith("compare: --sender: ")));
        }
    }
}
