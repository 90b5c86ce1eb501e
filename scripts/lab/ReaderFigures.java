package lab;

import cli.Units;
import java.math.BigDecimal;
import java.util.List;
import results.ManyReaders;
import results.ManyReaders.Cost;
import results.ManyReaders.Delivery;
import results.ManyReaders.Run;

/** The figures of one writer and many readers, as texts for a table. */
final class ReaderFigures {
    private static final double MIB = 1 << 20;

    private ReaderFigures() { }

    static Table table(ManyReaders runs) {
        return new Table(List.of("", "readers", "stuck", "others served", "the last after", "MiB a second", "CPU",
                "threads", "peak memory"), runs.runs().stream().map(ReaderFigures::row).toList());
    }

    private static List<String> row(Run run) {
        Delivery delivery = run.delivery();
        Cost cost = run.cost();
        return List.of(run.way(), String.valueOf(run.readers()), String.valueOf(run.stuck()),
                delivery == null ? run.error() : delivery.served() + " of " + (run.readers() - run.stuck()),
                delivery == null ? "" : seconds(delivery.servedSeconds(), 3),
                delivery == null || delivery.bytesPerSecond() == null ? ""
                        : Units.fixed(delivery.bytesPerSecond() / MIB, 0),
                cost.user() == null ? "" : seconds(cost.user().add(cost.system()), 2),
                cost.threads() == null ? "" : cost.threads().toString(),
                cost.peakMemory() == null ? "" : Units.fixed(cost.peakMemory() / MIB, 0) + " MiB");
    }

    private static String seconds(BigDecimal seconds, int digits) {
        return seconds == null ? "" : Units.fixed(seconds, digits) + " s";
    }
}
