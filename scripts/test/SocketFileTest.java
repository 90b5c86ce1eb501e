import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The receiver destroys nothing at its path but a socket that nobody holds, and leaves nothing behind. */
class SocketFileTest {
    private static final String SOCKET = "slow_receiver.sock";

    private static void refused(Kit kit, String message) throws Exception {
        Kit.Running receiver = kit.script("slow-receiver");
        assertEquals(1, receiver.await());
        assertEquals(List.of("slow-receiver: " + SOCKET + ": " + message), receiver.err());
        assertEquals(List.of(), receiver.out());
    }

    private static Object inode(Kit kit) throws Exception {
        return Files.getAttribute(kit.dir.resolve(SOCKET), "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void regularFileIsLeftAlone() throws Exception {
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve(SOCKET), "precious");
            refused(kit, "exists and is not a socket; take another path");
            assertEquals("precious", Files.readString(kit.dir.resolve(SOCKET)));
        }
    }

    @Test
    void directoryIsLeftAlone() throws Exception {
        try (Kit kit = new Kit()) {
            Files.createDirectory(kit.dir.resolve(SOCKET));
            refused(kit, "exists and is not a socket; take another path");
            assertTrue(Files.isDirectory(kit.dir.resolve(SOCKET)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", "absent", "socket"})
    void symbolicLinkIsLeftAlone(String target) throws Exception {
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve("file"), "precious");
            stale(kit, "socket");
            Files.createSymbolicLink(kit.dir.resolve(SOCKET), Path.of(target));
            refused(kit, "exists and is not a socket; take another path");
            assertEquals(Path.of(target), Files.readSymbolicLink(kit.dir.resolve(SOCKET)));
            assertEquals("precious", Files.readString(kit.dir.resolve("file")));
            assertTrue(Files.exists(kit.dir.resolve("socket")));
        }
    }

    private static void stale(Kit kit, String name) throws Exception {
        kit.python("import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])", name).await();
        assertTrue(Files.exists(kit.dir.resolve(name)));
    }

    @Test
    void staleSocketIsReplaced() throws Exception {
        try (Kit kit = new Kit()) {
            stale(kit, SOCKET);
            kit.receiver("--interval", "0s");
            assertEquals(0, kit.script("poll-sender").await());
        }
    }

    @Test
    void socketOfAKilledReceiverIsReplaced() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running killed = kit.receiver();
            killed.signal("KILL");
            killed.await();
            assertTrue(Files.exists(kit.dir.resolve(SOCKET)));
            kit.receiver("--interval", "0s");
            assertEquals(0, kit.script("poll-sender").await());
        }
    }

    @Test
    void secondReceiverDoesNotDisturbTheFirst() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running first = kit.receiver("--interval", "0s", "--connections", "1");
            Object inode = inode(kit);
            refused(kit, "another receiver is listening");
            assertEquals(inode, inode(kit));
            assertEquals(0, kit.script("poll-sender", "--size", "5").await());
            assertEquals(0, first.await());
            assertEquals(List.of("connected", "received 5 bytes...", "connection closed"), first.out());
        }
    }

    @ParameterizedTest
    @CsvSource({"SOCK_STREAM, 0", "SOCK_STREAM, 5", "SOCK_DGRAM, -1", "SOCK_SEQPACKET, 5", "SOCK_STREAM, -1"})
    void liveSocketIsLeftAloneEvenWithAFullBacklog(String type, int backlog) throws Exception {
        try (Kit kit = new Kit()) {
            kit.python("""
                    import socket, sys, time
                    s = socket.socket(socket.AF_UNIX, getattr(socket, sys.argv[1]))
                    s.bind('slow_receiver.sock')
                    backlog = int(sys.argv[2])
                    if backlog >= 0:
                        s.listen(backlog)
                        waiting = [socket.socket(socket.AF_UNIX, getattr(socket, sys.argv[1])) for _ in range(backlog + 1)]
                        for c in waiting:
                            c.connect('slow_receiver.sock')
                    print('ready', flush=True)
                    time.sleep(60)
                    """, type, Integer.toString(backlog)).awaitOut("ready"::equals);
            Object inode = inode(kit);
            refused(kit, "another receiver is listening");
            assertEquals(inode, inode(kit));
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130"})
    void signalRemovesTheSocket(String signal, int status) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver();
            kit.script("poll-sender").awaitOut("wrote 219264 bytes"::equals);
            receiver.signal(signal);
            assertEquals(status, receiver.await());
            assertFalse(Files.exists(kit.dir.resolve(SOCKET)));
            assertEquals(List.of("slow-receiver: listening on " + SOCKET), receiver.err());
        }
    }

    @Test
    void endAfterTheConnectionsAskedForRemovesTheSocket() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver("--interval", "0s", "--connections", "1");
            assertEquals(0, kit.script("poll-sender").await());
            assertEquals(0, receiver.await());
            assertFalse(Files.exists(kit.dir.resolve(SOCKET)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void socketOfSomebodyElseIsNotRemoved(String signal) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running first = kit.receiver();
            Files.delete(kit.dir.resolve(SOCKET));
            kit.receiver("--interval", "0s");
            Object inode = inode(kit);
            first.signal(signal);
            first.await();
            assertEquals(inode, inode(kit));
            assertEquals(0, kit.script("poll-sender").await());
        }
    }

    @Test
    void socketFileIsForItsOwnerAlone() throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver();
            assertEquals("rw-------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(kit.dir.resolve(SOCKET))));
        }
    }
}
