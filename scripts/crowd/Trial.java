package crowd;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import measure.Children;
import measure.End;
import results.ManyReaders.Cost;
import results.ManyReaders.Run;

/** Runs one way with so many readers: a process that writes, and one that is all the readers. */
final class Trial {
    private static final String SOCKET = "readers.sock";
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(10);
    /** What it may take beside the time that is measured: to start, to connect, to end. */
    private static final long AROUND = TimeUnit.SECONDS.toNanos(30);

    private final Plan plan;
    private final Children children;
    private final End end;
    private final String writerClass;

    /** @param writerClass whose main calls {@link WriterProcess#run} */
    Trial(Plan plan, Children children, End end, String writerClass) {
        this.plan = plan;
        this.children = children;
        this.end = end;
        this.writerClass = writerClass;
    }

    Run run(Way way, int readers) throws Exception {
        Path dir = end.step(children::newDirectory);
        long deadline = System.nanoTime() + plan.deadline(readers) + AROUND;
        try {
            return go(way, readers, dir, deadline);
        } catch (TimeoutException e) {
            return failed(way, readers, "did not end");
        } finally {
            end.step(() -> {
                children.stop();
                return null;
            });
        }
    }

    /** The writer first; the readers once that listens; when they go, the writer ends as well. */
    private Run go(Way way, int readers, Path dir, long deadline) throws Exception {
        Process writer = end.step(() -> children.start(dir, "writer", children.jvm(List.of(), writerClass, List.of(
                way.name(), SOCKET, String.valueOf(readers), String.valueOf(plan.size()),
                String.valueOf(plan.chunk())))));
        while (!Files.readString(dir.resolve("writer.out")).contains("\n") && !hasEnded(writer, deadline)) { }
        if (!writer.isAlive()) {
            return failed(way, readers, problem(dir, "writer", writer.exitValue()));
        }
        Process reader = end.step(() -> children.start(dir, "reader", children.jvm(List.of(),
                ReaderProcess.class.getName(), List.of(SOCKET, String.valueOf(readers),
                String.valueOf(plan.stuck(readers)), String.valueOf(plan.size()),
                String.valueOf(plan.deadline(readers))))));
        while (!hasEnded(reader, deadline)) { }
        while (!hasEnded(writer, deadline)) { }
        return writer.exitValue() != 0 ? failed(way, readers, problem(dir, "writer", writer.exitValue()))
                : reader.exitValue() != 0 ? failed(way, readers, problem(dir, "reader", reader.exitValue()))
                : measured(way, readers, dir);
    }

    private boolean hasEnded(Process process, long deadline) throws InterruptedException, TimeoutException {
        if (System.nanoTime() > deadline) {
            throw new TimeoutException();
        }
        boolean ended = process.waitFor(TICK, TimeUnit.NANOSECONDS);
        end.pass();
        return ended;
    }

    private Run measured(Way way, int readers, Path dir) throws IOException {
        ReaderProcess.Report report = last(dir.resolve("reader.out"), ReaderProcess.Report.class);
        return new Run(way.toString(), readers, plan.stuck(readers), report.error(), report.delivery(),
                last(dir.resolve("writer.out"), Cost.class), report.progress());
    }

    private static <T> T last(Path file, Class<T> type) throws IOException {
        List<String> lines = Files.readAllLines(file);
        return new Gson().fromJson(lines.get(lines.size() - 1), type);
    }

    private Run failed(Way way, int readers, String error) {
        return new Run(way.toString(), readers, plan.stuck(readers), error, null, Cost.NONE, null);
    }

    private static String problem(Path dir, String side, int status) throws IOException {
        List<String> lines = Files.readAllLines(dir.resolve(side + ".err"));
        return "the " + side + " failed: "
                + (lines.isEmpty() ? "exit status " + status : lines.get(lines.size() - 1));
    }
}
