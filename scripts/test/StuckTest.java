import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What stuck says of connections between programs that are not ours. */
class StuckTest {
    /** Bytes that the kernel accepts with the default send buffer. */
    static final int FULL = 219264;
    static final String IMPORTS = "import os, select, signal, socket, sys, time\n"
            + "address = sys.argv[1].replace('@', '\\0')\n";
    static final String LISTEN = IMPORTS + """
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(address)
            listener.listen(1)
            print('listening', flush=True)
            """;
    static final String ACCEPT = LISTEN + "end, _ = listener.accept()\n";
    static final String CONNECT = IMPORTS + """
            end = socket.socket(socket.AF_UNIX)
            end.connect(address)
            """;
    static final String SLEEP = "time.sleep(99)\n";
    private static final String FILL = "end.setblocking(False)\nend.send(bytes(1 << 20))\n";
    private static final String POLL = FILL + "poll = select.poll()\npoll.register(end, select.POLLOUT)\npoll.poll()\n";

    private Kit kit;

    @BeforeEach
    void open() throws IOException {
        kit = new Kit();
    }

    @AfterEach
    void close() throws IOException {
        kit.close();
    }

    private Kit.Running listen(String program) throws IOException, InterruptedException {
        return listen("s.sock", program);
    }

    private Kit.Running listen(String address, String program) throws IOException, InterruptedException {
        Kit.Running listener = kit.python(program, address);
        listener.awaitOut("listening"::equals);
        return listener;
    }

    private Kit.Running connect(String program) throws IOException {
        return kit.python(CONNECT + program, "s.sock");
    }

    private List<JsonObject> look(int status, String... args) throws IOException, InterruptedException {
        return look(kit, status, args.length == 0 ? new String[] {"--socket", "s.sock"} : args);
    }

    /** What stuck prints with --json, and that it ends with this status and says nothing else. */
    static List<JsonObject> look(Kit kit, int status, String... args) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--json");
        Kit.Running stuck = kit.script("stuck", all.toArray(String[]::new));
        int ended = stuck.await();
        assertEquals(List.of(), stuck.err());
        assertEquals(status, ended, stuck.out().toString());
        return stuck.out().stream().map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
    }

    private JsonObject lookAtOne(String verdict, int status, String... args) throws IOException, InterruptedException {
        List<JsonObject> all = look(status, args);
        assertEquals(1, all.size(), all.toString());
        assertEquals(verdict, all.get(0).get("verdict").getAsString(), all.toString());
        assertEquals(status == 1, all.get(0).get("stuck").getAsBoolean());
        return all.get(0);
    }

    private static void assertEnd(JsonObject connection, int which, Kit.Running process, String doing) {
        JsonArray ends = connection.getAsJsonArray("ends");
        JsonObject end = ends.get(which).getAsJsonObject();
        assertEquals(process.process.pid(), end.get("pid").getAsLong(), connection.toString());
        assertEquals(doing, end.get("doing").getAsString(), connection.toString());
    }

    private static JsonObject end(JsonObject connection, int which) {
        return connection.getAsJsonArray("ends").get(which).getAsJsonObject();
    }

    /** Waits until a thread of the process sleeps in a function of the kernel whose name holds this. */
    static void awaitAsleep(Kit.Running process, String function) throws IOException, InterruptedException {
        awaitAsleep(process.process.pid(), function);
    }

    static void awaitAsleep(long pid, String function) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Kit.PATIENCE_SECONDS);
        for (String seen = ""; !seen.contains(function); Thread.onSpinWait()) {
            assertTrue(System.nanoTime() < deadline, "never asleep in " + function + " but in " + seen);
            seen = "";
            try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
                for (Path task : tasks) {
                    seen += new String(Files.readAllBytes(task.resolve("wchan"))) + ' ';
                }
            } catch (NoSuchFileException e) {
                seen += e.getFile() + " vanished";
            }
        }
    }

    @Test
    void writerBlockedInSendall() throws Exception {
        Kit.Running reader = listen(ACCEPT + SLEEP);
        Kit.Running writer = connect("end.sendall(bytes(1 << 20))");
        reader.awaitUnread(FULL);
        awaitAsleep(writer, "sock_alloc_send_pskb");
        awaitAsleep(reader, "nanosleep");
        JsonObject connection = lookAtOne("reader_does_not_read", 1);
        assertEnd(connection, 0, writer, "write");
        assertEnd(connection, 1, reader, "elsewhere");
        assertEquals("s.sock", connection.get("name").getAsString());
        assertEquals("full", end(connection, 0).get("room").getAsString());
        assertEquals(222720, end(connection, 0).get("charged").getAsInt());
        assertEquals(212992, end(connection, 0).get("send_buffer").getAsInt());
        assertEquals(FULL, end(connection, 1).get("unread").getAsInt());
        assertTrue(connection.get("sentence").getAsString().contains("the queue is full, and the writer"));
    }

    @Test
    void writerInPollIsNotToldOfTheRoomThatAWriteWouldFind() throws Exception {
        Kit.Running reader = listen(ACCEPT + "print(len(end.recv(36544, socket.MSG_WAITALL)), flush=True)\n" + SLEEP);
        Kit.Running writer = connect(POLL);
        reader.awaitOut("36544"::equals);
        reader.awaitUnread(FULL - 36544);
        awaitAsleep(writer, "poll");
        awaitAsleep(reader, "nanosleep");
        JsonObject connection = lookAtOne("reader_does_not_read", 1, "--pid", Long.toString(writer.process.pid()));
        assertEnd(connection, 0, writer, "room");
        assertEquals("unreported", end(connection, 0).get("room").getAsString());
    }

    @Test
    void writerSpins() throws Exception {
        Kit.Running reader = listen(ACCEPT + SLEEP);
        Kit.Running writer = connect("""
                end.setblocking(False)
                data = bytes(1000)
                while True:
                    try:
                        end.send(data)
                    except BlockingIOError:
                        pass
                """);
        awaitAsleep(reader, "nanosleep");
        JsonObject connection = lookAtOne("reader_does_not_read", 1);
        assertEnd(connection, 0, writer, "spin");
    }

    @Test
    void readerIsStopped() throws Exception {
        Kit.Running reader = listen(ACCEPT + "while True: end.recv(1000)\n");
        Kit.Running writer = connect("""
                sys.stdin.readline()
                end.sendall(bytes(1 << 20))
                """);
        awaitAsleep(reader, "unix_stream_");
        reader.signal("STOP");
        awaitAsleep(reader, "stop");
        writer.process.outputWriter().append('\n').flush();
        reader.awaitUnread(FULL);
        awaitAsleep(writer, "sock_alloc_send_pskb");
        JsonObject connection = lookAtOne("reader_does_not_read", 1);
        assertEnd(connection, 1, reader, "stopped");
        assertTrue(connection.get("sentence").getAsString().contains("stopped by a signal"));
    }

    @Test
    void readerIsBusy() throws Exception {
        Kit.Running reader = listen(ACCEPT + "while True: pass\n");
        Kit.Running writer = connect("end.sendall(bytes(1 << 20))");
        reader.awaitUnread(FULL);
        awaitAsleep(writer, "sock_alloc_send_pskb");
        assertEnd(lookAtOne("reader_does_not_read", 1), 1, reader, "busy");
    }

    @Test
    void deadlockOfAWriterThatDoesNotReadTheAnswers() throws Exception {
        Kit.Running receiver = kit.faultyReceiver("--echo", "--read-size", "8k", "--interval", "20ms");
        Kit.Running writer = kit.python(CONNECT + """
                end.setblocking(False)
                poll = select.poll()
                poll.register(end, select.POLLOUT)
                while True:
                    poll.poll()
                    try:
                        end.send(bytes(1 << 20))
                    except BlockingIOError:
                        pass
                """, "slow_receiver.sock");
        awaitAsleep(receiver, "sock_alloc_send_pskb");
        awaitAsleep(writer, "poll");
        JsonObject connection = lookAtOne("deadlock", 1, "--socket", "slow_receiver.sock");
        List<String> doing = connection.getAsJsonArray("ends").asList().stream()
                .map(end -> end.getAsJsonObject().get("doing").getAsString()).sorted().toList();
        assertEquals(List.of("room", "write"), doing);
        assertTrue(connection.get("sentence").getAsString().startsWith("deadlock: "));
    }

    @Test
    void readerShutDownItsInputWithAFullQueue() throws Exception {
        Kit.Running reader = listen(ACCEPT + """
                sys.stdin.readline()
                end.shutdown(socket.SHUT_RD)
                print('shut down', flush=True)
                """ + SLEEP);
        Kit.Running writer = connect(POLL);
        reader.awaitUnread(FULL);
        awaitAsleep(writer, "poll");
        reader.process.outputWriter().append('\n').flush();
        reader.awaitOut("shut down"::equals);
        awaitAsleep(reader, "nanosleep");
        assertEnd(lookAtOne("input_shut_down", 1), 0, writer, "room");
    }

    @Test
    void writerThatForgotToAskEpollForRoomLooksIdleAndBothAreSaid() throws Exception {
        Kit.Running reader = listen(ACCEPT + "while True: end.recv(100000)\n");
        Kit.Running writer = connect(FILL + """
                epoll = select.epoll()
                epoll.register(end, select.EPOLLIN)
                epoll.poll()
                """);
        awaitAsleep(writer, "ep");
        reader.awaitUnread(0);
        awaitAsleep(reader, "unix_stream_");
        JsonObject connection = lookAtOne("room_not_asked_for", 0);
        assertTrue(connection.get("sentence").getAsString().contains("forgot to ask for room"));
        assertTrue(connection.get("sentence").getAsString().contains("python3 " + writer.process.pid()));
    }

    @Test
    void aBacklogIsFull() throws Exception {
        Kit.Running listener = listen(LISTEN + SLEEP);
        Kit.Running first = connect("other = socket.socket(socket.AF_UNIX)\nother.connect(address)\n"
                + "print('connected', flush=True)\n" + SLEEP);
        first.awaitOut("connected"::equals);
        Kit.Running second = connect("");
        awaitAsleep(second, "unix_wait_for_peer");
        JsonObject backlog = look(1).stream().filter(one -> one.get("verdict").getAsString().equals("backlog_full"))
                .findFirst().orElseThrow();
        assertEnd(backlog, 0, listener, "elsewhere");
        String sentence = backlog.get("sentence").getAsString();
        assertTrue(sentence.contains("2 are not accepted, a backlog of 1"), sentence);
        assertTrue(sentence.endsWith("in connect: python3 " + second.process.pid()), sentence);
    }

    @Test
    void aConnectionThatIsNotAccepted() throws Exception {
        Kit.Running listener = listen(LISTEN + SLEEP);
        Kit.Running writer = connect("end.sendall(bytes(1 << 20))");
        awaitAsleep(writer, "sock_alloc_send_pskb");
        JsonObject connection = lookAtOne("not_accepted", 1);
        assertEnd(connection, 0, writer, "write");
        assertEnd(connection, 1, listener, "elsewhere");
    }

    @Test
    void socketpairOfAParentAndAChildThatBothHoldBothEnds() throws Exception {
        Kit.Running parent = kit.python(IMPORTS + """
                one, other = socket.socketpair()
                child = os.fork()
                if child == 0:
                    signal.pause()
                print(child, flush=True)
                one.sendall(bytes(1 << 20))
                """, "unused");
        String child = parent.awaitOut(line -> line.matches("\\d+"));
        awaitAsleep(parent, "sock_alloc_send_pskb");
        awaitAsleep(Long.parseLong(child), "pause");
        JsonObject connection = lookAtOne("reader_does_not_read", 1, "--pid", child);
        assertEquals("unnamed", connection.get("name").getAsString());
        assertEnd(connection, 0, parent, "write");
        assertEquals(child, end(connection, 1).get("pid").getAsString());
    }

    @Test
    void abstractAddress() throws Exception {
        String address = "@kit " + ProcessHandle.current().pid();
        Kit.Running reader = listen(address, ACCEPT + SLEEP);
        Kit.Running writer = kit.python(CONNECT + "end.sendall(bytes(1 << 20))", address);
        reader.awaitUnread(FULL);
        awaitAsleep(writer, "sock_alloc_send_pskb");
        assertEnd(lookAtOne("reader_does_not_read", 1, "--socket", address), 0, writer, "write");
    }
}
