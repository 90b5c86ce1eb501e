package measure;

import cli.Errors;
import cli.Units;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystemException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import kernel.Strategy;

/**
 * The process in which one strategy is measured: connects, sends, and prints its events ({@code connected}, {@code
 * wrote}, {@code beat}, and at last {@code done} or {@code failed} with all that was counted). What went wrong is one
 * line on standard error, too. Exit status 0 all sent, 1 failed, 3 gave up.
 */
public final class SenderProcess {
    private final Task task;
    private final Send strategy;
    private final EventLog events = new EventLog();
    private final Meter meter;
    private final AtomicBoolean ended = new AtomicBoolean();
    /** Null until it is connected. */
    private volatile SocketChannel channel;

    private SenderProcess(Task task, Send strategy) {
        this.task = task;
        this.strategy = strategy;
        meter = new Meter(task, events);
    }

    /** Does what the argument says, which compare made; the exit status. */
    public static int run(String argument, Function<Strategy, Send> strategies)
            throws InterruptedException {
        Task task = Task.of(argument);
        SenderProcess process = new SenderProcess(task, strategies.apply(task.strategy()));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> process.failed(1, "stopped by a signal")));
        return process.run();
    }

    private int run() throws InterruptedException {
        try (Payload payload = new Payload(task)) {
            if (task.strategy() == Strategy.VIRTUAL) {
                VirtualThreads.run(() -> send(payload), meter, this::disconnect);
            } else {
                send(payload);
            }
            return 0;
        } catch (Meter.GaveUp e) {
            return failed(3, "gave up, nothing could be written for " + Units.seconds(task.giveUp()) + " s");
        } catch (FileSystemException e) {
            return failed(1, Errors.message(e));
        } catch (IOException e) {
            return failed(1, lostReader(e) ? "the receiver closed the connection" : e.getMessage());
        }
    }

    private Void send(Payload payload) throws IOException, InterruptedException {
        Rehearsal.of(task, strategy);
        try (SocketChannel connection = Connecting.connect(task)) {
            meter.start();
            channel = connection;
            events.log("connected", connected(connection));
            strategy.send(connection, payload, meter::wrote, meter::otherWork);
            if (ended.compareAndSet(false, true)) {
                events.log("done", meter.figures());
                events.flush();
            }
        }
        return null;
    }

    private void disconnect() throws IOException {
        if (channel != null) {
            channel.close();
        }
    }

    private JsonObject connected(SocketChannel connection) throws IOException {
        JsonObject details = new JsonObject();
        details.addProperty("socket", task.socket());
        details.addProperty("pid", ProcessHandle.current().pid());
        details.addProperty("sndbuf", connection.getOption(StandardSocketOptions.SO_SNDBUF));
        details.addProperty("chunk", task.chunk());
        return details;
    }

    /** Each library has its own exception for EPIPE and for ECONNRESET; the JDK's channel has the system's words. */
    private static boolean lostReader(IOException e) {
        return e instanceof ClosedChannelException || e.getClass().getSimpleName().startsWith("ConnectionReset")
                || String.valueOf(e.getMessage()).matches("Broken pipe|Connection reset.*");
    }

    /** Tells once what ended this process before all was sent, and what had been counted by then. */
    private int failed(int status, String problem) {
        if (ended.compareAndSet(false, true)) {
            String message = problem.startsWith(task.socket()) ? problem : task.socket() + ": " + problem;
            JsonObject details = new JsonObject();
            details.addProperty("message", message);
            JsonObject figures = channel != null ? meter.figures() : new JsonObject();
            figures.entrySet().forEach(figure -> details.add(figure.getKey(), figure.getValue()));
            events.log("failed", details);
            events.flush();
            String accepted = channel != null ? "; " + meter.bytes() + " bytes had been accepted" : "";
            System.err.println(task.name() + ": " + message + accepted);
        }
        return status;
    }
}
