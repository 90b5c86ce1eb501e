import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stuck.Call;
import stuck.Holder;
import stuck.Proc;
import stuck.Room;
import stuck.SocketTable;
import stuck.StreamSocket;
import stuck.Task;
import stuck.Traffic;
import stuck.Wants;

/** What stuck reads, from recorded text: ss of iproute2 6.1, and files as /proc has them. */
class StuckSsTest {
    private static SocketTable recorded() throws IOException {
        return SocketTable.read(Files.readAllLines(Path.of("scripts/test/ss-6.1.txt")));
    }

    @Test
    void bothEndsOfAConnection() throws IOException {
        StreamSocket writer = recorded().get(85972);
        assertEquals(List.of(new Holder("python3", 18310, 4), new Holder("x", 18309, 4)), writer.holders());
        assertEquals(85973, writer.peer());
        assertEquals(243456, writer.charged());
        assertEquals(212992, writer.sendBuffer());
        assertEquals(0, writer.unread());
        assertNull(writer.name());
        assertEquals(Room.FULL, writer.room());
        StreamSocket reader = recorded().get(85973);
        assertEquals(236544, reader.unread());
        assertEquals("x.sock", reader.name());
        assertEquals(Room.OPEN, reader.room());
    }

    @Test
    void shutDownDirectionsAreThoseOfTheArrow() throws IOException {
        StreamSocket writer = recorded().get(85972);
        StreamSocket reader = recorded().get(85973);
        assertTrue(reader.inputShut() && writer.outputShut());
        assertFalse(reader.outputShut() || writer.inputShut());
        assertTrue(recorded().get(85983).inputShut() && recorded().get(85983).outputShut()); // the other end closed
    }

    @Test
    void listeningSocketsHaveABacklogAndWhoWaits() throws IOException {
        StreamSocket listener = recorded().get(85971);
        assertTrue(listener.listens() && listener.backlogFull());
        assertEquals(2, listener.unread());
        assertEquals(1, listener.limit());
        assertEquals(List.of(85974L, 85975L), listener.connecting());
        assertEquals(2146354, listener.file());
        assertEquals(0xfe00, listener.device());
        assertFalse(recorded().get(85976).backlogFull());
        assertEquals(List.of(), recorded().get(85976).connecting());
    }

    @Test
    void namesMayHoldSpacesAndNumbersAndBeAbstract() throws IOException {
        assertEquals("a b 12 c.sock", recorded().get(85978).name());
        assertEquals("@abst x", recorded().get(85981).name());
    }

    @Test
    void linesThatCannotBeReadAreSkippedAndCountedAndOtherKindsAreNot() throws IOException {
        assertEquals(3, recorded().skipped());
        assertEquals(17, recorded().all().size());
        assertNull(recorded().get(85988)); // u_seq
    }

    @Test
    void roomFollowsTheKernelsRule() {
        assertEquals(Room.FULL, Room.of(212992, 212992));
        assertEquals(Room.UNREPORTED, Room.of(212991, 212992));
        assertEquals(Room.UNREPORTED, Room.of(53248, 212992));
        assertEquals(Room.OPEN, Room.of(53247, 212992));
    }

    @Test
    void trafficAddsUpWhatCameAndWent() {
        Traffic traffic = new Traffic(socketWith(100));
        traffic.add(socketWith(40));
        traffic.add(socketWith(70));
        traffic.add(socketWith(50));
        assertEquals(new Traffic.Change(80, 30, true), traffic.of(socketWith(50).get(2)));
    }

    private static SocketTable socketWith(int unread) {
        return SocketTable.read(List.of("u_str ESTAB " + unread
                + " 0 * 2 * 1 skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d0) <->"));
    }

    @Test
    void withoutTheSystemCallTheKernelsFunctionTellsTheKindAndNoDescriptor(@TempDir Path proc) throws IOException {
        thread(proc, "sock_alloc_send_pskb", "");
        Task task = new Proc(proc, Call.Numbers.X86_64).tasks(12).get(0);
        assertEquals(Call.WRITE, task.call());
        assertEquals(-1, task.descriptor());
        thread(proc, "poll_schedule_timeout.constprop.0", "");
        Proc other = new Proc(proc, Call.Numbers.X86_64);
        assertEquals(Wants.UNSEEN, new Wants(other).of(other.tasks(12).get(0), 3, 1));
    }

    @Test
    void systemCallsHaveOtherNumbersOnOtherMachines(@TempDir Path proc) throws IOException {
        thread(proc, "0", "206 0x7 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7fba");
        Task task = new Proc(proc, Call.Numbers.GENERIC).tasks(12).get(0);
        assertEquals(Call.WRITE, task.call());
        assertEquals(7, task.descriptor());
        assertEquals(Call.OTHER, new Proc(proc, Call.Numbers.X86_64).tasks(12).get(0).call());
        assertEquals(23, task.user());
        assertEquals(45, task.system());
        assertEquals(6, task.sleeps());
    }

    @Test
    void epollIsSearchedByInodeAndOnKernelsThatHaveNoneByDescriptor(@TempDir Path proc) throws IOException {
        thread(proc, "ep_poll", "232 0x9 0x0 0x0 0x0 0x0 0x0 0x7ffd 0x7fba");
        Files.createDirectories(proc.resolve("12/fdinfo"));
        Files.writeString(proc.resolve("12/fdinfo/9"), """
                pos:\t0
                tfd:        8 events:       1d data:     7fba00000008  pos:0 ino:8b03 sdev:9
                tfd:        9 events: 80000019 data:     7fba00000009  pos:0 ino:8b04 sdev:9
                tfd:        7 events:       1c data:     7fba00000009
                """);
        Proc fake = new Proc(proc, Call.Numbers.X86_64);
        Task task = fake.tasks(12).get(0);
        Wants wants = new Wants(fake);
        assertEquals(Wants.INPUT | Wants.ROOM, wants.of(task, 5, 0x8b03)); // a copy of the descriptor that was added
        assertEquals(Wants.INPUT | Wants.EDGE, wants.of(task, 9, 0x8b04));
        assertEquals(0, wants.of(task, 8, 0x9999)); // the descriptor was closed, and its number is another socket's now
        assertEquals(Wants.ROOM, wants.of(task, 7, 0x7777));
    }

    private static void thread(Path proc, String wchan, String syscall) throws IOException {
        Path task = Files.createDirectories(proc.resolve("12/task/12"));
        Files.writeString(task.resolve("stat"), "12 (a) S (b) S 1 1 1 0 -1 4194304 3487 7736 14 0 23 45 4 3 20 0 1\n");
        Files.writeString(task.resolve("status"), "Name:\ta\nvoluntary_ctxt_switches:\t6\n");
        Files.writeString(task.resolve("wchan"), wchan);
        Files.writeString(task.resolve("syscall"), syscall);
    }
}
