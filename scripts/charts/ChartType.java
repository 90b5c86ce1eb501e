package charts;

import java.util.Locale;

/** The charts, by the names that they have on the command line. */
public enum ChartType {
    TIMELINE(new Timeline()), CPU(new CpuChart()), WRITES(new Writes()), HEARTBEAT(new Heartbeat());

    final Chart chart;

    ChartType(Chart chart) {
        this.chart = chart;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
