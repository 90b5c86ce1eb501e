import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stuck as a command: healthy connections, other people's, many, its table, its errors and its end. */
class StuckCommandTest {
    private static final String BLOCK = StuckTest.CONNECT + "end.sendall(bytes(1 << 20))";

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
        Kit.Running listener = kit.python(program, "s.sock");
        listener.awaitOut("listening"::equals);
        return listener;
    }

    /** A writer that waits in write for a reader that sleeps. */
    private Kit.Running[] stuckPair() throws IOException, InterruptedException {
        Kit.Running reader = listen(StuckTest.ACCEPT + StuckTest.SLEEP);
        Kit.Running writer = kit.python(BLOCK, "s.sock");
        reader.awaitUnread(StuckTest.FULL);
        StuckTest.awaitAsleep(writer, "sock_alloc_send_pskb");
        StuckTest.awaitAsleep(reader, "nanosleep");
        return new Kit.Running[] {writer, reader};
    }

    private void assertNotStuck(String reader, String writer) throws IOException, InterruptedException {
        Kit.Running reads = listen(StuckTest.ACCEPT + reader);
        kit.python(StuckTest.CONNECT + writer, "s.sock");
        reads.awaitOut("reading"::equals);
        List<JsonObject> all = StuckTest.look(kit, 0, "--socket", "s.sock");
        assertEquals(1, all.size());
        assertTrue(all.get(0).get("sentence").getAsString().startsWith("nothing is stuck: "), all.toString());
    }

    @Test
    void fastTrafficIsNotStuck() throws Exception {
        assertNotStuck("""
                end.recv(1)
                print('reading', flush=True)
                while True: end.recv(1 << 20)
                """, "while True: end.sendall(bytes(1 << 20))");
    }

    @Test
    void readerThatEmptiesTheQueueWhichIsFilledAtOnceIsNotStuck() throws Exception {
        assertNotStuck("""
                end.recv(1)
                print('reading', flush=True)
                while True:
                    time.sleep(0.05)
                    end.recv(1 << 20)
                """, "while True: end.sendall(bytes(36544)) # a whole buffer of the kernel");
    }

    @Test
    void slowReaderOfAWriterInPollIsNotStuck() throws Exception {
        assertNotStuck("""
                end.recv(1)
                print('reading', flush=True)
                while True:
                    time.sleep(0.05)
                    end.recv(10000)
                """, """
                end.setblocking(False)
                poll = select.poll()
                poll.register(end, select.POLLOUT)
                while True:
                    poll.poll()
                    end.send(bytes(1 << 20))
                """);
    }

    @Test
    void whatTheOtherEndLeftWhenItClosedIsNotStuck() throws Exception {
        Kit.Running reader = listen(StuckTest.ACCEPT + StuckTest.SLEEP);
        assertEquals(0, kit.python(StuckTest.CONNECT + "end.send(b'last')", "s.sock").await());
        StuckTest.awaitAsleep(reader, "nanosleep");
        List<JsonObject> all = StuckTest.look(kit, 0, "--socket", "s.sock");
        assertEquals("left_over", all.get(0).get("verdict").getAsString(), all.toString());
        assertTrue(all.get(0).get("sentence").getAsString().endsWith("has not read the last 4 bytes"), all.toString());
    }

    @Test
    void aRelativeNameIsNotThatOfAnotherDirectory() throws Exception {
        stuckPair();
        try (Kit elsewhere = new Kit()) {
            Kit.Running other = elsewhere.python(StuckTest.ACCEPT + StuckTest.SLEEP, "s.sock");
            other.awaitOut("listening"::equals);
            assertEquals(List.of(), StuckTest.look(elsewhere, 0, "--socket", "s.sock"));
        }
        assertEquals(1, StuckTest.look(kit, 1, "--socket", "s.sock").size());
    }

    @Test
    void connectionThatIsIdleIsNotStuck() throws Exception {
        assertNotStuck("print('reading', flush=True)\nend.recv(1)\n", StuckTest.SLEEP);
    }

    @Test
    void readerThatWasToldOnceByEdgeTriggeredEpoll() throws Exception {
        Kit.Running reader = listen(StuckTest.ACCEPT + """
                epoll = select.epoll()
                epoll.register(end, select.EPOLLIN | select.EPOLLET)
                while True:
                    epoll.poll()
                    end.recv(1000)
                """);
        Kit.Running writer = kit.python(BLOCK, "s.sock");
        StuckTest.awaitAsleep(writer, "sock_alloc_send_pskb");
        StuckTest.awaitAsleep(reader, "ep");
        String sentence = StuckTest.look(kit, 1, "--socket", "s.sock").get(0).get("sentence").getAsString();
        assertTrue(sentence.contains("waits in epoll for input, edge-triggered; "), sentence);
    }

    @Test
    void theTableFitsAndNamesBothEnds() throws Exception {
        Kit.Running[] pair = stuckPair();
        Kit.Running stuck = kit.script("stuck", "--socket", kit.dir.resolve("s.sock").toString());
        assertEquals(1, stuck.await());
        assertTrue(stuck.out().stream().allMatch(line -> line.length() <= 80), stuck.out().toString());
        assertTrue(stuck.out().get(0).matches("PROCESS +PID +FD +UNREAD +CHARGED +SNDBUF +ROOM +DOING"));
        assertRow(stuck.out().get(1), "python3 +" + pair[0].process.pid() + " +3 +0 +222720 +212992 full +in write");
        assertRow(stuck.out().get(2), "python3 +" + pair[1].process.pid() + " +4 +219264 +0 +212992 open +elsewhere");
        assertTrue(stuck.out().get(3).startsWith("  STUCK s.sock: the reader, python3 "), stuck.out().toString());
        assertEquals("1 stuck of 1 connection looked at", stuck.out().get(stuck.out().size() - 1));
    }

    private static void assertRow(String line, String pattern) {
        assertTrue(line.matches(pattern), line);
    }

    @Test
    void withoutOptionsItLooksAtAllThatHasSomethingUnread() throws Exception {
        Kit.Running[] pair = stuckPair();
        String writer = "\"pid\":" + pair[0].process.pid() + ',';
        assertTrue(StuckTest.look(kit, 1).stream().anyMatch(one -> one.toString().contains(writer)));
    }

    @Test
    void watchSaysWhatChangesUntilItIsInterrupted() throws Exception {
        Kit.Running[] pair = stuckPair();
        Kit.Running stuck = kit.script("stuck", "--watch", "200ms", "--socket", "s.sock");
        stuck.awaitOut("1 stuck of 1 connection looked at"::equals);
        List<String> out = stuck.out();
        assertTrue(out.stream().anyMatch(line -> line.matches("  in \\d+\\.\\d s; .*")), out.toString());
        pair[0].process.destroyForcibly();
        pair[1].process.destroyForcibly();
        stuck.awaitOut("0 stuck of 0 connections looked at"::equals);
        stuck.signal("INT");
        assertEquals(130, stuck.await());
        assertEquals(List.of(), stuck.err());
    }

    @Test
    void watchTellsHowFastASlowReaderReads() throws Exception {
        Kit.Running reader = listen(StuckTest.ACCEPT + """
                while True:
                    end.recv(1000)
                    time.sleep(0.05)
                """);
        kit.python(BLOCK, "s.sock");
        String pid = Long.toString(reader.process.pid());
        Kit.Running stuck = kit.script("stuck", "--json", "--watch", "1s", "--pid", pid);
        String line = stuck.awaitOut(printed -> printed.contains("bytes a second are read"));
        assertTrue(line.contains("\"verdict\":\"flows\",\"stuck\":false"), line);
        stuck.signal("INT");
        stuck.await();
    }

    @Test
    void processOfAnotherUserIsUnknown() throws Exception {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "it takes root to be another user");
        Files.setPosixFilePermissions(kit.dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        Kit.Running reader = listen(StuckTest.ACCEPT + StuckTest.SLEEP);
        kit.run("chmod", "666", "s.sock").await();
        List<String> nobody = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        Kit.Running writer = kit.run(with(nobody, "/usr/bin/python3", "-c", BLOCK, "s.sock"));
        reader.awaitUnread(StuckTest.FULL);
        StuckTest.awaitAsleep(writer, "sock_alloc_send_pskb");
        List<String> command = new ArrayList<>(kit.command("stuck", "--json", "--socket", "s.sock"));
        command.set(command.indexOf("-cp") + 1, readableClassPath());
        Kit.Running stuck = kit.run(with(nobody, command.toArray(String[]::new)));
        assertEquals(1, stuck.await(), stuck.err().toString());
        String line = stuck.out().get(0);
        assertTrue(line.contains("what it does is unknown: not your process, try as root"), line);
        assertTrue(line.contains("\"pid\":" + writer.process.pid()), line);
        assertTrue(!line.contains(Long.toString(reader.process.pid())), line);
        command.set(command.size() - 2, "--pid");
        command.set(command.size() - 1, Long.toString(reader.process.pid()));
        assertFails(3, "stuck: --pid: " + reader.process.pid() + ": not your process; try as root",
                kit.run(with(nobody, command.toArray(String[]::new))));
    }

    private static String[] with(List<String> first, String... rest) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(rest));
        return all.toArray(String[]::new);
    }

    // The class path of the tests may lie in a home that no one else may enter.
    private String readableClassPath() throws IOException {
        List<String> copies = new ArrayList<>();
        for (String jar : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (jar.matches(".*/(run-tests|picocli-|gson-)[^/]*\\.jar")) {
                copies.add(Files.copy(Path.of(jar), kit.dir.resolve(copies.size() + ".jar")).toString());
            }
        }
        return String.join(File.pathSeparator, copies);
    }

    @Test
    void fiveThousandSockets() throws Exception {
        Kit.Running holder = kit.python(StuckTest.IMPORTS + """
                import resource
                resource.setrlimit(resource.RLIMIT_NOFILE, (6000, 6000))
                pairs = [socket.socketpair() for _ in range(2500)]
                for one, other in pairs: one.send(b'x')
                print('open', flush=True)
                """ + StuckTest.SLEEP, "unused");
        holder.awaitOut("open"::equals);
        Kit.Running stuck = kit.script("stuck", "--json", "--pid", Long.toString(holder.process.pid()));
        assertEquals(0, stuck.await(20)); // ten times what is promised, for a machine with other work
        assertEquals(2500, stuck.out().size());
    }

    @Test
    void whatIsWrongIsOneLine() throws Exception {
        assertFails(2, "--pid", kit.script("stuck", "--pid", "0"));
        assertFails(2, "--socket", kit.script("stuck", "--socket="));
        assertFails(2, "--watch", kit.script("stuck", "--watch", "0s"));
        assertFails(3, "stuck: --pid: 999999999: no such process", kit.script("stuck", "--pid", "999999999"));
        assertFails(3, "stuck: --socket: none.sock: no stream socket has this address; ss -xl lists them",
                kit.script("stuck", "--socket", "none.sock"));
        String[] command = kit.command("stuck").toArray(String[]::new);
        assertFails(3, "stuck: ss: not found; install iproute2 (Debian: apt install iproute2)",
                kit.run(Map.of("PATH", kit.dir.toString()), command));
    }

    @Test
    void ssThatFailsOrSaysNothingThatCanBeReadIsNotTakenForAQuietMachine() throws Exception {
        Path ss = Files.writeString(kit.dir.resolve("ss"), "#!/bin/sh\necho u_str ESTAB 0 0\n");
        Files.setPosixFilePermissions(ss, PosixFilePermissions.fromString("rwxr-xr-x"));
        String[] command = kit.command("stuck").toArray(String[]::new);
        Map<String, String> path = Map.of("PATH", kit.dir.toString());
        assertFails(3, "none of its 1 lines can be read", kit.run(path, command));
        Files.writeString(ss, "#!/bin/sh\necho Cannot open netlink socket >&2\nexit 1\n");
        assertFails(3, "stuck: ss: exit status 1: Cannot open netlink socket", kit.run(path, command));
    }

    private static void assertFails(int status, String message, Kit.Running stuck) throws InterruptedException {
        assertEquals(status, stuck.await(), stuck.err().toString());
        assertEquals(1, stuck.err().size(), stuck.err().toString());
        assertTrue(stuck.err().get(0).contains(message), stuck.err().toString());
        assertEquals(List.of(), stuck.out());
    }
}
