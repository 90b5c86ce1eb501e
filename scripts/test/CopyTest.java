import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A strategy copied into a stranger's class, with the JDK alone, sends every byte over whatever channel. */
@Isolated("exact patterns want the machine for themselves")
class CopyTest {
    private static final int SIZE = 1 << 20;
    private static final int READ = 20 << 10;

    @TempDir
    Path dir;

    static List<String> senders() {
        return Exemplars.allSenders();
    }

    /** What a stranger's program has: a buffer to send, and a reader at the other end of a channel. */
    private final class Run {
        private final SocketChannel writer;
        private final SocketChannel reader;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE);
        private final ByteBuffer taken = ByteBuffer.allocateDirect(READ);
        private final List<Integer> writes = new ArrayList<>();
        private int received;
        private boolean wrote;

        Run(SocketAddress address, StandardProtocolFamily family) throws IOException {
            while (buffer.hasRemaining()) {
                buffer.put((byte) (buffer.position() % 251));
            }
            buffer.flip();
            try (ServerSocketChannel server = ServerSocketChannel.open(family).bind(address)) {
                writer = SocketChannel.open(server.getLocalAddress());
                reader = server.accept();
            }
        }

        /** Calls the stranger's send, which has otherWork or not. */
        void send(Class<?> stranger, IntConsumer wrote, LongSupplier otherWork) throws Exception {
            Method send = Stream.of(stranger.getDeclaredMethods()).filter(method -> method.getName().equals("send"))
                    .findFirst().orElseThrow();
            send.setAccessible(true);
            Class<?> source = send.getParameterTypes()[1];
            Object next = Proxy.newProxyInstance(stranger.getClassLoader(), new Class<?>[] {source},
                    (proxy, method, args) -> buffer);
            try {
                if (send.getParameterCount() == 4) {
                    send.invoke(null, writer, next, wrote, otherWork);
                } else {
                    send.invoke(null, writer, next, wrote);
                }
            } catch (InvocationTargetException e) {
                throw (Exception) e.getCause();
            }
            writer.close();
        }

        /** Reads once, in blocking mode what comes, else what is there; false: the end. */
        boolean read() throws IOException {
            int n = reader.read(taken.clear());
            for (int i = 0; i < n; i++) {
                assertEquals((byte) ((received + i) % 251), taken.get(i));
            }
            received += Math.max(n, 0);
            return n >= 0;
        }

        void readAll(long pauseMillis) throws Exception {
            while (read()) {
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            }
        }

        void count(int bytes) {
            if (bytes > 0) {
                writes.add(bytes);
            }
        }

        /** Reads while the writer, in the same thread, waits: no race. */
        long readInstead() {
            try {
                if (!writes.isEmpty()) {
                    read();
                }
                return 0;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Compiles the two texts in an otherwise empty class, with neither picocli nor junixsocket on the class path. */
    private Class<?> stranger(String sender) throws Exception {
        StringBuilder code = new StringBuilder();
        Exemplars.text(sender).lines().filter(line -> line.startsWith("import java."))
                .forEach(line -> code.append(line).append('\n'));
        String source = Exemplars.text(sender).lines().filter(line -> line.startsWith("    interface Source {"))
                .findFirst().orElseThrow();
        code.append("class Stranger {\n").append(source).append('\n').append(Exemplars.method(sender, "send"));
        code.append("}\n");
        Path file = Files.writeString(dir.resolve("Stranger.java"), code);
        Path nothing = Files.createDirectories(dir.resolve("nothing"));
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-Xlint:all", "-Werror",
                "-cp", nothing.toString(), "-d", dir.toString(), file.toString());
        assertEquals(0, status, code::toString);
        return new URLClassLoader(new URL[] {dir.toUri().toURL()}, ClassLoader.getPlatformClassLoader())
                .loadClass("Stranger");
    }

    @ParameterizedTest
    @MethodSource("senders")
    void copySendsEveryByteOverTcp(String sender) throws Exception {
        Run run = new Run(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), StandardProtocolFamily.INET);
        sendAndRead(run, sender, 0);
        assertEquals(SIZE, run.writes.stream().mapToInt(n -> n).sum());
    }

    private void sendAndRead(Run run, String sender, long pauseMillis) throws Exception {
        Class<?> stranger = stranger(sender);
        Callable<Void> send = () -> {
            run.send(stranger, run::count, () -> 1000);
            return null;
        };
        FutureTask<Void> sending = new FutureTask<>(send);
        thread(sender, sending);
        run.readAll(pauseMillis);
        sending.get(Kit.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertEquals(SIZE, run.received);
    }

    /** A virtual thread for virtual-sender where the JDK has them; by reflection, as this is compiled for 17. */
    private static void thread(String sender, Runnable task) throws Exception {
        if (sender.equals("virtual-sender") && Runtime.version().feature() >= 21) {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } else {
            new Thread(task).start();
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void copyWritesThePatternOfItsStrategyOverAUnixSocket(String sender) throws Exception {
        Run run = new Run(UnixDomainSocketAddress.of(dir.resolve("s")), StandardProtocolFamily.UNIX);
        if (sender.equals("blocking-sender") || sender.equals("virtual-sender")) {
            sendAndRead(run, sender, 30);
        } else {
            run.reader.configureBlocking(false);
            run.send(stranger(sender), bytes -> {
                run.count(bytes);
                run.wrote = bytes > 0;
            }, () -> run.wrote && sender.equals("nonblocking-sender") ? 0 : run.readInstead());
            run.readAll(0);
            assertEquals(SIZE, run.received);
        }
        List<Integer> pattern = new ArrayList<>();
        if (sender.equals("nonblocking-sender")) {
            pattern.add(219264);
            pattern.addAll(Collections.nCopies(22, 36544));
            pattern.add(25344);
        } else if (sender.equals("poll-sender")
                || sender.equals("virtual-sender") && Runtime.version().feature() >= 21) {
            pattern.addAll(List.of(219264, 182720, 182720, 182720, 182720, 98432));
        } else {
            pattern.add(SIZE);
        }
        if (Exemplars.seedsKernel()) {
            assertEquals(pattern, run.writes);
        } else {
            assertEquals(pattern.size() > 1, run.writes.size() > 1);
        }
    }
}
