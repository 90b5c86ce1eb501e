package crowd;

import cli.TextTable;
import cli.Units;
import java.util.List;
import java.util.stream.Stream;
import results.ManyReaders.Cost;
import results.ManyReaders.Delivery;
import results.ManyReaders.Run;

/** The figures: a row for each way and number of readers. */
final class CrowdTable {
    static final List<String> HEADER = List.of("way", "readers", "served", "last, s", "MiB/s", "user, s", "sys, s",
            "threads", "peak MiB");

    private CrowdTable() { }

    static List<List<String>> rows(List<Run> runs) {
        return runs.stream().map(CrowdTable::row).toList();
    }

    private static List<String> row(Run run) {
        Delivery delivery = run.delivery();
        Cost cost = run.cost();
        return Stream.of(run.way(), String.valueOf(run.readers()),
                delivery == null ? "" : delivery.served() + "/" + (run.readers() - run.stuck()),
                delivery == null ? "" : fixed(delivery.servedSeconds(), 3),
                delivery == null || delivery.bytesPerSecond() == null ? ""
                        : Units.fixed(delivery.bytesPerSecond() / 1048576.0, 0),
                fixed(cost.user(), 2), fixed(cost.system(), 2), cost.threads() == null ? "" : cost.threads().toString(),
                cost.peakMemory() == null ? "" : Units.fixed(cost.peakMemory() / 1048576.0, 0)).toList();
    }

    private static String fixed(Number value, int digits) {
        return value == null ? "" : Units.fixed(value, digits);
    }

    static String text(List<Run> runs) {
        return TextTable.format(HEADER, rows(runs));
    }
}
