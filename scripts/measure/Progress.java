package measure;

import java.util.List;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar on standard error with what a run has delivered, if that is a terminal. */
final class Progress {
    private static final int MOST_COLUMNS = 100;

    private final int columns;
    private final long total;
    private ProgressBar bar;

    /** @param columns of the terminal; 0: show nothing */
    Progress(int columns, long total) {
        this.columns = columns;
        this.total = total;
    }

    synchronized void start(String name) {
        if (columns > 0) {
            bar = new ProgressBarBuilder().setTaskName(name).setInitialMax(total)
                    .setUnit(List.of(" B", " KiB", " MiB").get(unit()), 1L << 10 * unit())
                    .setStyle(ProgressBarStyle.ASCII).hideEta().setUpdateIntervalMillis(100).continuousUpdate()
                    .clearDisplayOnFinish().setConsumer(new DelegatingProgressBarConsumer(
                            line -> System.err.print('\r' + line), Math.min(columns, MOST_COLUMNS) - 1)).build();
        }
    }

    /** The power of 1024 in which bytes are shown. */
    private int unit() {
        return total >= 1 << 30 ? 2 : total >= 1 << 16 ? 1 : 0;
    }

    synchronized boolean isShown() {
        return bar != null;
    }

    /** @param accepted bytes; null where the sender does not tell */
    synchronized void show(Long accepted, long delivered) {
        if (bar != null) {
            bar.stepTo(delivered);
            bar.setExtraMessage(accepted == null ? ""
                    : accepted < delivered ? "in a write" // only when it returns is it known what the kernel accepted
                    : (accepted >> 10 * unit()) + " accepted, " + (accepted - delivered >> 10 * unit()) + " queued");
        }
    }

    synchronized void stop() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
