import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What people report of local sockets, played for every sender: a reader that stalls, closes, is gone, comes back. */
@Isolated("the counts are those of a sender that acts within a pause or two of the receiver")
class ScenarioTest {
    @BeforeAll
    static void countsAreForThisKernel() throws Exception {
        Scenario.countsAreForThisKernel();
    }

    @Test
    void payloadsArriveWholeDespiteJitter() throws Exception {
        List<Integer> sizes = List.of((1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20, 8 << 20);
        Scenario.with(Scenario.SENDERS, (kit, sender) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--interval 0s --jitter 3ms --connections 5");
            List<String> checksums = new ArrayList<>();
            for (int size : sizes) {
                byte[] bytes = Files.readAllBytes(Faulty.file(kit, size));
                CRC32C crc32c = new CRC32C();
                crc32c.update(bytes);
                checksums.add(String.format("%08x", crc32c.getValue()));
                Scenario.succeeds(kit.script(sender, "--input", "sent"));
            }
            Scenario.succeeds(receiver);
            assertEquals(sizes, Faulty.bytes(receiver, "closed"));
            assertEquals(checksums, Kit.events(receiver, "closed").map(e -> e.get("crc32c").getAsString()).toList());
        });
    }

    @Test
    void receiverReadsNothingAtFirst() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--first-read-delay 2s --interval 10ms --connections 1");
            Kit.Running sender = kit.script(name);
            Scenario.succeeds(sender);
            Scenario.succeeds(receiver);
            assertEquals(name.equals("blocking-sender") ? Scenario.MIB : Scenario.FULL, Scenario.wrote(sender).get(0));
            assertEquals(List.of(Scenario.MIB), Faulty.bytes(receiver, "closed"));
            assertTrue(Faulty.time(receiver, "received") - Faulty.time(receiver, "connected") >= 1.99);
        });
    }

    @Test
    void receiverStallsAndTheSenderGivesUp() throws Exception {
        Scenario.with(Scenario.PATIENT, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--stall-after 200k --interval 20ms --connections 1");
            Kit.Running sender = kit.script(name, "--give-up", "2s");
            Scenario.fails(sender, 3, Scenario.FULL_AND_200_KIB_READ);
            Scenario.succeeds(receiver);
            assertEquals(List.of(200 << 10), Faulty.bytes(receiver, "stall"));
            assertEquals("hangup", Faulty.end(receiver));
        });
    }

    @Test
    void receiverStallsAndReadsOn() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--stall-after 200k --resume-after 1s --interval 10ms"
                    + " --connections 1");
            Kit.Running sender = kit.script(name);
            Scenario.succeeds(sender);
            Scenario.succeeds(receiver);
            assertEquals(List.of(200 << 10), Faulty.bytes(receiver, "resume"));
            assertEquals(List.of(Scenario.MIB), Faulty.bytes(receiver, "closed"));
        });
    }

    @Test
    void receiverStallsAgainAndAgain() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--stall-every 256k --resume-after 100ms --interval 0s"
                    + " --connections 1");
            Scenario.succeeds(kit.script(name, "--size", "1100000"));
            Scenario.succeeds(receiver);
            assertEquals(List.of(1 << 18, 2 << 18, 3 << 18, 4 << 18), Faulty.bytes(receiver, "stall"));
            assertEquals(List.of(1_100_000), Faulty.bytes(receiver, "closed"));
        });
    }

    @Test
    void receiverClosesWithDataUnread() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--close-after 20k --interval 200ms --connections 1");
            Scenario.fails(kit.script(name), 1, Scenario.FULL);
            Scenario.succeeds(receiver);
            assertEquals(List.of(20 << 10), Faulty.bytes(receiver, "closed"));
            assertEquals("close", Faulty.end(receiver));
        });
    }

    @Test
    void receiverClosesAtHalf() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--stall-after 512k --resume-after 500ms --close-after 512k"
                    + " --interval 40ms --connections 1");
            Scenario.fails(kit.script(name), 1, Scenario.spins(name) ? Scenario.FULL_AND_512_KIB_READ_BUSY
                    : Scenario.FULL_AND_512_KIB_READ);
            Scenario.succeeds(receiver);
            assertEquals(List.of(Scenario.MIB / 2), Faulty.bytes(receiver, "closed"));
        });
    }

    @Test
    void receiverClosesAfterDrainingEverything() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--close-after 1m --interval 2ms --connections 1");
            Scenario.succeeds(kit.script(name));
            Scenario.succeeds(receiver);
            assertEquals(List.of(Scenario.MIB), Faulty.bytes(receiver, "closed"));
            assertEquals("close", Faulty.end(receiver));
        });
    }

    /** poll(2) never reports it: poll-sender tries a write after 30 s, which is longer than its patience here. */
    @Test
    void receiverShutsDownItsInputWithTheQueueFull() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--shutdown-input-after 0 --first-read-delay 1s"
                    + " --connections 1");
            boolean polls = name.equals("poll-sender");
            Kit.Running sender = polls ? kit.script(name, "--give-up", "3s") : kit.script(name);
            Scenario.fails(sender, polls ? 3 : 1, Scenario.FULL);
            Scenario.succeeds(receiver);
            assertEquals(List.of(0), Faulty.bytes(receiver, "shutdown_input"));
            assertEquals("hangup", Faulty.end(receiver));
        });
    }

    @Test
    void receiverShutsDownItsInputWithTheQueueEmpty() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--shutdown-input-after 1000 --interval 0s --connections 1");
            Kit.Running sender = kit.script(name, "--input", "-");
            OutputStream input = sender.process.getOutputStream();
            input.write(new byte[1000]);
            input.flush();
            receiver.awaitEvent("shutdown_input");
            input.write(new byte[1000]);
            input.flush();
            Scenario.fails(sender, 1, 1000);
            Scenario.succeeds(receiver);
        });
    }

    @Test
    void receiverRestartsMidTransfer() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--stall-after 200k --resume-after 500ms --restart-after 200k"
                    + " --down 500ms --interval 20ms --connections 2");
            Scenario.fails(kit.script(name), 1, Scenario.FULL_AND_200_KIB_READ);
            receiver.awaitOut(line -> receiver.out().stream().filter(e -> e.contains("\"listening\"")).count() == 2);
            Scenario.succeeds(kit.script(name));
            Scenario.succeeds(receiver);
            assertEquals(List.of(200 << 10, Scenario.MIB), Faulty.bytes(receiver, "closed"));
            assertEquals(2, Kit.events(receiver, "listening").count());
        });
    }

    @Test
    void receiverIsKilledAndReplacedMidTransfer() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--stall-after 200k --interval 20ms");
            Kit.Running sender = kit.script(name);
            receiver.awaitUnread(Scenario.FULL_AND_200_KIB_READ - (200 << 10));
            receiver.signal("KILL");
            Scenario.fails(sender, 1, Scenario.FULL_AND_200_KIB_READ);
            Kit.Running next = Scenario.receiver(kit, "--interval 1ms --connections 1");
            Scenario.succeeds(kit.script(name));
            Scenario.succeeds(next);
            assertEquals(List.of(Scenario.MIB), Faulty.bytes(next, "closed"));
        });
    }
}
