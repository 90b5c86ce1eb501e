import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The faulty receiver at its path: restarts, and the care that it takes of files. */
class FaultySocketTest {
    @Test
    void restartIsGoneAndThenBackOnTheSamePath() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = Faulty.receiver(kit, "--restart-after 30000 --down 2s --parallel 3 --connections 4"
                    + " --mode 640");
            Kit.Running idle = Faulty.peer(kit);
            Kit.Running peer = Faulty.peer(kit);
            assertEquals("sent", Faulty.tell(peer, "send 30000"));
            receiver.awaitEvent("restart");
            assertEquals("received 0", Faulty.tell(idle, "recv"));
            assertEquals("EPIPE", Faulty.tell(idle, "send 1"));
            assertEquals("EPIPE", Faulty.tell(peer, "send 1"));
            Kit.Running next = kit.python("""
                    import socket
                    s = socket.socket(socket.AF_UNIX)
                    refused = 0
                    while True:
                        try:
                            s.connect('s')
                            break
                        except ConnectionRefusedError:
                            refused += 1
                        except FileNotFoundError:
                            pass # for a moment, as the stale file is replaced
                    print(refused > 0, flush=True)
                    s.sendall(bytes(50000))
                    """);
            assertEquals(0, next.await(), () -> next.err().toString());
            assertEquals(List.of("True"), next.out());
            assertEquals("rw-r-----",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(kit.dir.resolve("s"))));
            assertEquals("closed", Faulty.tell(Faulty.peer(kit), "close"));
            assertEquals(0, receiver.await());
            assertEquals(2, Kit.events(receiver, "listening").count());
            assertEquals(List.of(2.0), Faulty.seconds(receiver, "restart"));
            double back = Kit.events(receiver, "listening").skip(1).findFirst().orElseThrow().get("time").getAsDouble();
            assertTrue(back - Faulty.time(receiver, "restart") >= 1.99, "back too early");
            TreeMap<Integer, String> ends = new TreeMap<>();
            Kit.events(receiver, "closed").forEach(closed ->
                    ends.put(closed.get("connection").getAsInt(), closed.get("bytes") + " " + closed.get("end")));
            assertEquals("{1=0 'restart', 2=30000 'restart', 3=50000 'eof', 4=0 'eof'}",
                    ends.toString().replace('"', '\''));
        }
    }

    /** The first peer reads no echo, so the receiver waits in a write to it when it comes to restart. */
    @Test
    void restartEndsAConnectionThatIsBeingWrittenTo() throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 1 << 20);
            Kit.Running receiver = Faulty.receiver(kit, "--restart-after 1m --down 0s --echo --parallel 2"
                    + " --connections 3");
            Kit.Running blocked = Faulty.peer(kit);
            assertTrue(Faulty.tell(blocked, "send 1048576").startsWith("timeout"));
            kit.run("sh", "-c", "socat -t 30 - UNIX-CONNECT:s < sent > back").await();
            receiver.awaitOut(line -> line.contains("\"closed\",\"connection\":1,"));
            assertEquals("EPIPE", Faulty.tell(blocked, "send 1"));
            assertEquals("closed", Faulty.tell(Faulty.peer(kit), "close"));
            assertEquals(0, receiver.await());
            assertEquals(List.of("restart", "restart", "eof"),
                    Kit.events(receiver, "closed").map(closed -> closed.get("end").getAsString()).toList());
        }
    }

    /** The library makes the file connectable by all before --mode is set; a private directory closes that window. */
    @Test
    void socketFileIsOpenToAllForAMoment() throws Exception {
        try (Kit kit = new Kit()) {
            List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq", "-o", "trace", "-e", "signal=none",
                    "-e", "trace=bind,listen,chmod"));
            command.addAll(kit.command("faulty-receiver", "--mode", "640"));
            Kit.Running receiver = kit.run(command.toArray(String[]::new));
            receiver.awaitErr(line -> line.contains("listening on"));
            receiver.process.children().forEach(ProcessHandle::destroy);
            assertEquals(143, receiver.await());
            List<String> calls = Files.readAllLines(kit.dir.resolve("trace")).stream()
                    .map(line -> line.substring(line.indexOf(' ')).replaceAll(" +", " ").strip())
                    .filter(call -> call.contains("slow_receiver.sock") || call.startsWith("listen(")).toList();
            String socket = calls.get(0).replaceAll("bind\\((\\d+),.*", "$1");
            assertEquals(List.of("bind(" + socket + ", {sa_family=AF_UNIX, sun_path=\"slow_receiver.sock\"}, 110) = 0",
                    "chmod(\"slow_receiver.sock\", 0666) = 0",
                    "listen(" + socket + ", 50) = 0",
                    "chmod(\"slow_receiver.sock\", 0640) = 0"), calls);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"touch s", "mkdir s", "ln -s absent s"})
    void whatIsNoSocketIsLeftAlone(String make) throws Exception {
        try (Kit kit = new Kit()) {
            assertEquals(0, kit.run("sh", "-c", make).await());
            Object inode = Files.getAttribute(kit.dir.resolve("s"), "unix:ino", LinkOption.NOFOLLOW_LINKS);
            Kit.Running receiver = kit.script("faulty-receiver", "-s", "s");
            assertEquals(1, receiver.await());
            assertEquals(List.of("faulty-receiver: s: exists and is not a socket; take another path"), receiver.err());
            assertEquals(inode, Files.getAttribute(kit.dir.resolve("s"), "unix:ino", LinkOption.NOFOLLOW_LINKS));
        }
    }

    /** A second one must neither take the path nor be noticed by the first, whose only connection is still to come. */
    @Test
    void liveSocketIsLeftAloneAndAStaleOneReplaced() throws Exception {
        try (Kit kit = new Kit()) {
            Faulty.file(kit, 1000);
            Kit.Running first = Faulty.receiver(kit, "--connections 1");
            Kit.Running second = kit.script("faulty-receiver", "-s", "s");
            assertEquals(1, second.await());
            assertEquals(List.of("faulty-receiver: s: another receiver is listening"), second.err());
            assertEquals(0, Faulty.socat(kit).await());
            assertEquals(0, first.await());
            assertEquals("connected received closed", Faulty.story(first));

            Kit.Running killed = Faulty.receiver(kit, "");
            killed.signal("KILL");
            killed.await();
            assertTrue(Files.exists(kit.dir.resolve("s")));
            Kit.Running next = Faulty.receiver(kit, "--connections 1");
            assertEquals(0, Faulty.socat(kit).await());
            assertEquals(0, next.await());
            assertFalse(Files.exists(kit.dir.resolve("s")));
        }
    }

    /** The library looks at the file when it begins to accept; whoever accepts already does not notice. */
    @Test
    void socketThatSomebodyRemovesAtOnceIsMissed() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running remover = kit.python("""
                    import os, subprocess, sys
                    receiver = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
                    if 'listening' in receiver.stdout.readline():
                        os.unlink('s')
                    try:
                        sys.exit(receiver.wait(10))
                    except subprocess.TimeoutExpired:
                        receiver.kill()
                        print('too late')
                    """, kit.command("faulty-receiver", "-s", "s", "--json").toArray(String[]::new));
            remover.await();
            Assumptions.assumeTrue(remover.out().isEmpty(), "it was accepting already");
            assertEquals(List.of("faulty-receiver: s: somebody removed it, so nobody can connect"), remover.err());
            assertEquals(1, remover.await());
        }
    }

    @Test
    void socketOfSomebodyElseIsNotRemoved() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running first = Faulty.receiver(kit, "--never-accept ");
            Files.delete(kit.dir.resolve("s"));
            Faulty.receiver(kit, "");
            first.signal("TERM");
            assertEquals(143, first.await());
            assertTrue(Files.exists(kit.dir.resolve("s")));
        }
    }

    @Test
    void privateDirectoryKeepsOthersOutWhateverTheModeOfTheFile() throws Exception {
        Assumptions.assumeTrue(System.getProperty("user.name").equals("root"), "only root can become another user");
        try (Kit kit = new Kit()) {
            Path open = Files.createDirectory(kit.dir.resolve("open"));
            Path closed = Files.createDirectory(kit.dir.resolve("closed"));
            Files.setPosixFilePermissions(kit.dir, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
            for (Path dir : List.of(open, closed)) {
                kit.faultyReceiver("--socket", dir.resolve("s").toString(), "--mode", "666");
                Kit.Running stranger = kit.python("""
                        import os, socket, sys
                        os.setuid(65534)
                        try:
                            socket.socket(socket.AF_UNIX).connect(sys.argv[1])
                            print('connected')
                        except PermissionError as e:
                            print(e.strerror)
                        """, dir.resolve("s").toString());
                assertEquals(0, stranger.await());
                assertEquals(List.of(dir.equals(open) ? "connected" : "Permission denied"), stranger.out());
            }
        }
    }
}
