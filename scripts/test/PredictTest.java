import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import cli.Units;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What predict prints and refuses. */
class PredictTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    /** Makes the command line independent of the machine that the tests run on. */
    private static final List<String> ON_USUAL =
            List.of("--page-size=4k", "--wmem-default=212992", "--wmem-max=4m");

    static Kit.Running predict(Kit kit, String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of(args));
        ON_USUAL.stream().filter(option -> all.stream().noneMatch(arg -> arg.startsWith(option.split("=")[0] + "=")))
                .forEach(all::add);
        return kit.script("predict", all.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"--size=1024g --chunk=2047m --read-size=20001, nothing repeats in the first",
        "--size=1024g --read-size=1, it would last longer than 292 years",
        "--interval=99999999m, it would last longer than 292 years"})
    void refusesWhatIsTooLongToPredict(String args, String reason) throws Exception {
        assertRefused(1, "too long to predict: " + reason, args.split(" "));
    }

    @Test
    void tellsWhatTheKernelMakesOfAnImpossibleSendBuffer() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running over = predict(kit, "--sndbuf=16m", "--strategy=poll");
            assertEquals(0, over.await());
            assertEquals(List.of("predict: --sndbuf: 16777216 is over net.core.wmem_max, 4194304;"
                    + " the kernel makes it a send buffer of 8388608"), over.err());
            Kit.Running under = predict(kit, "--sndbuf=1", "--strategy=poll");
            assertEquals(0, under.await());
            assertEquals(List.of("predict: --sndbuf: 1 is under the kernel's minimum;"
                    + " the kernel makes it a send buffer of 4608"), under.err());
            Kit.Running least = predict(kit, "--sndbuf=2304", "--strategy=poll");
            assertEquals(0, least.await());
            assertEquals(List.of(), least.err());
            assertEquals(under.out(), least.out());
        }
    }

    @ParameterizedTest
    @CsvSource({"--chunk=0, '0' is not between 1 and 2047m", "--chunk=3g, '3g' is not between 1 and 2047m",
        "--sndbuf=0, '0' is not between 1 and 2047m", "--read-size=0, '0' is not between 1 and 2047m",
        "--size=-1, '-1' is not a size such as 4096", "--size=1t, '1t' is not a size such as 4096",
        "--interval=5, '5' is not a duration such as 100ms", "--timeout=0s, '0s' must be longer",
        "--heartbeat=0ms, '0ms' must be longer", "--max-stall=0s, '0s' must be longer",
        "--strategy=select, 'select' is not blocking; nonblocking; poll or virtual",
        "--page-size=5000, --page-size must be a power of two", "--wmem-max=4607, --wmem-max must be at least",
        "--sweep=foo=1, --sweep must be sndbuf, chunk", "--sweep=chunk=1k;0, '0' is not between 1 and 2047m",
        "--size=1 --input=x, --size does not go with --input", "--sweep=chunk=1 --explain, --sweep does not go with",
        "--max-stall=1s --strategy=blocking, --max-stall is for --strategy poll", "extra, Unmatched argument",
        "--arch=vax, 'vax' is not an architecture that the model knows: x86_64; aarch64; ppc64le; i386; armhf;",
        "--sweep=arch=i386;vax, Invalid value for option '--arch': 'vax' is not an architecture",
        "--arch=i386 --wmem-max=4479, --wmem-max must be at least the kernel's minimum; 4480",
        "--stall-every=0 --resume-after=1s, '0' is not a size of 1 or more", "--stall-period=0s, '0s' must be longer",
        "--stall-every=1 --stall-after=1, --stall-after; --stall-every and --stall-period exclude each other",
        "--resume-after=1s, --resume-after needs --stall-after", "--stall-after=1k, a stall needs --resume-after",
        "--input=, option '--input': the name of a file is empty", "@options, Unmatched argument",
        "--export-json=, option '--export-json': the name of a file is empty", "--sweep=, --sweep must be",
        "--strategy=, '' is not blocking", "--arch=, '' is not an architecture", "--size=, '' is not a size"})
    void usageErrorIsOneLine(String args, String problem) throws Exception {
        assertRefused(2, problem.replace("--wmem-max must", "--wmem-default and --wmem-max must").replace(';', ','),
                args.replace(';', ',').split(" "));
    }

    @ParameterizedTest
    @CsvSource({"--input=absent, absent: no such file",
        "--input=., .: is not a regular file; give its length with --size",
        "--input=-, -: is not a regular file; give its length with --size",
        "--export-json=., .: is not a regular file", "--export-json=absent/p.json, its directory does not exist"})
    void fileErrorIsOneLine(String args, String problem) throws Exception {
        assertRefused(1, problem, args);
    }

    /** One line on standard error, nothing on standard output, the given status. */
    private static void assertRefused(int status, String problem, String... args) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = predict(kit, args);
            assertEquals(status, predict.await());
            assertEquals(1, predict.err().size(), () -> predict.err().toString());
            assertTrue(predict.err().get(0).startsWith("predict: "), predict.err().get(0));
            assertTrue(predict.err().get(0).contains(problem), predict.err().get(0));
            assertEquals(List.of(), predict.out());
        }
    }

    /** The times are the seed's, and 52 reads, one each second, deliver 1 MiB at 51 s. */
    @Test
    void printsATable() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = predict(kit);
            assertEquals(0, predict.await());
            assertEquals(List.of(), predict.err());
            assertEquals(List.of("strategy     writes  accepted  delivered  longest stall  polls",
                    "blocking          1      44 s       51 s           44 s      -",
                    "nonblocking      24      41 s       51 s            2 s      -",
                    "poll              6      44 s       51 s            9 s     20",
                    "virtual           6      44 s       51 s            9 s      -"), predict.out());
        }
    }

    @Test
    void takesTheLengthOfAFile() throws Exception {
        try (Kit kit = new Kit()) {
            Files.write(kit.dir.resolve("data"), new byte[300_000]);
            Kit.Running file = predict(kit, "--input=data", "--interval=10ms");
            Kit.Running size = predict(kit, "--size=300000", "--interval=10ms");
            assertEquals(0, file.await());
            assertEquals(0, size.await());
            assertEquals(size.out(), file.out());
        }
    }

    @Test
    void explainsTheFigures() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running predict = predict(kit, "--explain");
            assertEquals(0, predict.await());
            String text = String.join(" ", predict.out()).replaceAll(" +", " ");
            for (String figure : List.of("28 skbs of 36544 and one of 25344", "charged 37120", "6 skbs, 219264 bytes",
                    "read 2, at 1 s", "5 of the 6 skbs must be read, 182720 bytes, by read 9, at 8 s",
                    "then 36544 bytes at 1 s", "then 182720 bytes at 8 s")) {
                assertTrue(text.contains(figure), figure + " in " + text);
            }
            assertTrue(predict.out().stream().allMatch(line -> line.length() <= 80 && line.matches("[ -~]*")));
        }
    }

    @Test
    void explainsWhatFitsWholeAndWhatIsEmpty() throws Exception {
        try (Kit kit = new Kit()) {
            for (String args : List.of("--sndbuf=1m", "--size=0", "--chunk=1 --size=50", "--give-up=100ms")) {
                Kit.Running predict = predict(kit, (args + " --explain").split(" "));
                assertEquals(0, predict.await(), () -> predict.err().toString());
                assertEquals(!args.startsWith("--give-up"), String.join(" ", predict.out()).contains("that is all"));
            }
        }
    }

    @Test
    void sweepHasARowForEachValue() throws Exception {
        try (Kit kit = new Kit()) {
            for (String swept : List.of("sndbuf=4k,64k,1m", "chunk=1k,1m", "read-size=1,1m", "interval=0s,10ms")) {
                String option = swept.split("=")[0];
                String[] values = swept.split("=")[1].split(",");
                Kit.Running sweep = predict(kit, "--strategy=poll", "--read-size=20k", "--sweep=" + swept);
                assertEquals(0, sweep.await(), () -> sweep.err().toString());
                assertEquals(1 + values.length, sweep.out().size());
                for (int i = 0; i < values.length; i++) {
                    Kit.Running single = predict(kit, "--strategy=poll", "--" + option + "=" + values[i]);
                    assertEquals(0, single.await());
                    List<String> row = new ArrayList<>(cells(sweep.out().get(1 + i)));
                    assertEquals(values[i], row.remove(1));
                    assertEquals(cells(single.out().get(1)), row);
                }
            }
        }
    }

    static List<String> cells(String line) {
        return List.of(line.split(" {2,}"));
    }

    @ParameterizedTest
    @CsvSource({"2s, --size=1g", "10s, --size=1g", "10s, --size=1g --chunk=1048576", "20s, --size=1g --sndbuf=65536",
        "1ms, --size=1m", "300ms, --size=100m --read-size=5000 --interval=100ms"})
    void maxStallIsKept(String limit, String args) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running search = predict(kit, (args + " --max-stall=" + limit).split(" "));
            assertEquals(0, search.await(), () -> search.err().toString());
            String found = search.out().get(0).replaceAll("--(\\S+) (\\d+)", "--$1=$2");
            assertTrue(found.matches("(--sndbuf=\\d+ )?--chunk=\\d+"), found);
            for (String arg : args.split(" ")) {
                assertTrue(!arg.matches("--(sndbuf|chunk)=.*") || found.contains(arg), found + " keeps " + arg);
            }
            String other = args.replaceAll("--(sndbuf|chunk)=\\S+", "");
            Kit.Running check = predict(kit, (other + " --strategy=poll " + found).split(" +"));
            assertEquals(0, check.await(), () -> check.err().toString());
            assertEquals(search.out().subList(1, 3), check.out());
            double seconds = Double.parseDouble(cells(check.out().get(1)).get(4).replace(" s", ""));
            assertTrue(seconds * SECOND < new Units.Duration().convert(limit), check.out().get(1));
        }
    }

    @Test
    void maxStallSaysWhyItIsNotPossible() throws Exception {
        assertRefused(1, "--max-stall: not possible: only a read makes room, and the reader pauses 1 s after each",
                "--size=1g", "--max-stall=1s");
        assertRefused(1, "of the 1 pairs of --sndbuf and --chunk tried, the best has a longest stall of 9 s",
                "--size=1m", "--chunk=1m", "--sndbuf=106496", "--max-stall=9s");
    }
}
