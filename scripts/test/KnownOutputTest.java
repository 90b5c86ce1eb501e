import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What predict printed when it knew three strategies and one architecture: {@code known/predict.txt} has a command
 * line, its standard output, its standard error after {@code !} and its exit status after {@code =}.
 */
class KnownOutputTest {
    private static final Set<String> OF_THIS_MACHINE = Set.of("\"os\":", "\"arch\":", "\"kernel\":",
            "\"java\":", "\"cpus\":");

    private record Known(List<String> arguments, List<String> out, List<String> err, int status) { }

    @Test
    void predictPrintsTheSameToTheLetter() throws Exception {
        List<Known> all = known();
        assertEquals(50, all.size());
        for (Known known : all) {
            try (Kit kit = new Kit()) {
                Kit.Running predict = PredictTest.predict(kit, known.arguments.toArray(String[]::new));
                int status = predict.await();
                boolean json = known.arguments.contains("--export-json=-");
                assertEquals(known, new Known(known.arguments, json ? withoutMachine(predict.out())
                        : withoutWhatIsNew(predict.out()), json ? withoutWhatIsNew(predict.err()) : predict.err(),
                        status));
            }
        }
    }

    private static List<Known> known() throws IOException {
        List<Known> all = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("scripts/test/known/predict.txt"))) {
            if (line.startsWith("$ predict ")) {
                all.add(new Known(List.of(line.substring(10).split(" ")), new ArrayList<>(), new ArrayList<>(), 0));
                continue;
            }
            Known last = all.get(all.size() - 1);
            if (line.startsWith("! ")) {
                last.err.add(line.substring(2));
            } else if (line.startsWith("= ")) {
                all.set(all.size() - 1, new Known(last.arguments, last.out, last.err,
                        Integer.parseInt(line.substring(2))));
            } else {
                last.out.add(line);
            }
        }
        return all;
    }

    private static List<String> withoutMachine(List<String> json) {
        return json.stream().filter(line -> OF_THIS_MACHINE.stream().noneMatch(line.strip()::startsWith)).toList();
    }

    /** Leaves out the rows of the fourth strategy, and the sentences on the machine and on that strategy. */
    private static List<String> withoutWhatIsNew(List<String> lines) {
        List<String> kept = new ArrayList<>();
        boolean skipping = false;
        for (String line : lines) {
            skipping = Stream.of("virtual ", "machine ").anyMatch(line::startsWith)
                    || skipping && line.startsWith("  ");
            if (!skipping) {
                kept.add(line);
            }
        }
        return kept;
    }
}
