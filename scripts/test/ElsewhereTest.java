import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import kernel.Architecture;
import kernel.KernelModel;
import kernel.Prediction;
import kernel.Settings;
import kernel.Strategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The model against what was recorded from a dozen other kernels, and predict against a handful of that. */
class ElsewhereTest {
    /** Short enough for no timer to end before the writer is woken. */
    private static final long INTERVAL = 1;
    private static final long NEVER = Long.MAX_VALUE / 4;

    @Test
    void modelMakesEveryRunOfASingleThread() throws IOException {
        assertEquals(227, check(Recorded.elsewhere().stream().filter(run -> !run.asleep()).toList()));
    }

    private static int check(List<Recorded> runs) throws IOException {
        for (Recorded recorded : runs) {
            KernelModel model = new KernelModel(recorded.machine(), recorded.setting().sndbuf());
            assertEquals(recorded.sndbuf(), model.sndbuf(), recorded.toString());
            assertEquals(recorded, recorded.with(recorded.setting().run(
                    new Recorded.ModelConnection(model), Integer.MAX_VALUE)));
        }
        return runs.size();
    }

    /** A busy writer is one that never sleeps; it, too, is predicted event by event. */
    @Test
    void predictionMakesEveryRunOfASleepingAndOfABusyWriter() throws Exception {
        Predicate<Recorded> timed = run -> run.asleep() || run.setting().strategy() == Strategy.NONBLOCKING;
        List<Recorded> runs = Recorded.elsewhere().stream().filter(timed).toList();
        for (Recorded recorded : runs) {
            Settings settings = recorded.setting().on(recorded.machine()).withInterval(INTERVAL).withTimeout(NEVER);
            Recorded.Calls calls = new Recorded.Calls();
            Prediction prediction = Prediction.of(settings, recorded.setting().strategy(), calls);
            assertEquals(recorded, recorded.with(calls.calls));
            assertEquals(prediction, Prediction.of(settings, recorded.setting().strategy()));
        }
        assertEquals(253 + 62, runs.size());
    }

    @Test
    void everyMachineIsOneThatWasMeasuredAndHasTheDefaultsOfItsArchitecture() throws IOException {
        for (Recorded recorded : Recorded.elsewhere()) {
            assertNull(recorded.machine().unmeasured());
            assertEquals(recorded.machine().architecture().wmemDefault(), recorded.machine().wmemDefault());
        }
    }

    /** The table of predict names each setting; its writes are counted as the recorded ones. */
    @ParameterizedTest
    @EnumSource(value = Architecture.class, names = {"RISCV64", "S390X"}, mode = EnumSource.Mode.EXCLUDE)
    void predictMakesAHandful(Architecture architecture) throws Exception {
        for (String strategy : List.of("blocking", "poll", "nonblocking")) {
            Recorded recorded = Recorded.elsewhere().stream().filter(run -> run.machine().architecture() == architecture
                    && run.setting().strategy().toString().equals(strategy)
                    && (run.asleep() || strategy.equals("nonblocking")) && run.setting().sndbuf() != null
                    && run.sndbuf() == 2 * run.setting().sndbuf()).findFirst().orElseThrow();
            try (Kit kit = new Kit()) {
                Kit.Running predict = kit.script("predict", arguments(recorded).toArray(String[]::new));
                assertEquals(0, predict.await(), () -> predict.err().toString());
                assertEquals(List.of(), predict.err());
                String[] cells = predict.out().get(1).split(" {2,}");
                assertEquals(strategy, cells[0]);
                assertEquals(Stream.of(recorded.writes().split(" ")).mapToLong(ElsewhereTest::times).sum(),
                        Long.parseLong(cells[1]), recorded.toString());
            }
        }
    }

    private static List<String> arguments(Recorded recorded) {
        Recorded.Setting setting = recorded.setting();
        return List.of("--arch=" + recorded.machine().architecture(),
                "--page-size=" + recorded.machine().pageSize(), "--wmem-max=" + recorded.machine().wmemMax(),
                "--strategy=" + setting.strategy(), "--sndbuf=" + setting.sndbuf(), "--size=" + setting.size(),
                "--chunk=" + setting.chunk(), "--read-size=" + setting.readSize(), "--interval=1ms",
                "--timeout=99999999m");
    }

    private static long times(String write) {
        int x = write.indexOf('x');
        return x < 0 ? 1 : Long.parseLong(write.substring(x + 1));
    }
}
