package charts;

import java.util.List;
import org.knowm.xchart.internal.chartpart.AxesChart;

/** What there is to know about a chart. A new one is a class of its own, and a line in {@link ChartType}. */
interface Chart {
    /** The title, up to what was sent. */
    String heading();

    /** What it shows of a run, as in "no writes of socat". */
    String data();

    /** What to say of a file that has nothing to show, as in "x.json has no writes". */
    default String nothing() {
        return "has no " + data();
    }

    /** Whether there is something to show of a run. */
    boolean shows(Trace run);

    /** Its panels, one below the other, of runs that it {@link #shows}; at least one. */
    List<? extends AxesChart<?, ?>> panels(List<Layer> layers);
}
