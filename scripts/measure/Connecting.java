package measure;

import cli.Errors;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import kernel.Strategy;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;

/** The way to the receiver: a blocking connect, which waits for a place in the backlog, tried again while allowed. */
final class Connecting {
    private static final int RETRY_MILLIS = 20;

    private Connecting() { }

    static SocketChannel connect(Task task) throws IOException, InterruptedException {
        for (long deadline = System.nanoTime() + task.connectTimeout();; Thread.sleep(RETRY_MILLIS)) {
            long left = deadline - System.nanoTime();
            SocketChannel channel = task.strategy() == Strategy.VIRTUAL
                    ? SocketChannel.open(StandardProtocolFamily.UNIX) : AFUNIXSocketChannel.open();
            try {
                if (task.sndbuf() != null) {
                    channel.setOption(StandardSocketOptions.SO_SNDBUF, task.sndbuf().intValue());
                }
                connect(channel, task, left);
                return channel;
            } catch (IOException e) {
                channel.close();
                if (left <= 0 || !(e instanceof ConnectException) && Files.exists(Path.of(task.socket()))) {
                    throw explained(e, task);
                }
            }
        }
    }

    /** What is left of the time-out bounds the wait for a place in the backlog, on a channel that has such a bound. */
    private static void connect(SocketChannel channel, Task task, long left) throws IOException {
        if (!(channel instanceof AFUNIXSocketChannel unix)) {
            channel.connect(UnixDomainSocketAddress.of(task.socket()));
            return;
        }
        unix.socket().setSoTimeout(task.connectTimeout() == 0 ? 0 : (int) Math.max(1, Meter.millis(left)));
        unix.connect(AFUNIXSocketAddress.of(Path.of(task.socket())));
        boolean timed = task.strategy() == Strategy.BLOCKING && task.giveUp() != null;
        unix.socket().setSoTimeout(timed ? (int) Meter.millis(task.giveUp()) : 0); // SO_SNDTIMEO: ends a write, too
    }

    private static FileSystemException explained(IOException e, Task task) {
        return Errors.problem(task.socket(), e instanceof ConnectException ? "no receiver is listening"
                : e instanceof SocketTimeoutException ? "the receiver's backlog is full"
                : Files.notExists(Path.of(task.socket())) ? "no such socket" : e.getMessage());
    }
}
