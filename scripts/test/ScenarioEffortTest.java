import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What people report of local sockets, played for every sender: cores and queues that fill up, and small writes. */
@Isolated("the counts are those of a sender that acts within a pause or two of the receiver")
class ScenarioEffortTest {
    @BeforeAll
    static void countsAreForThisKernel() throws Exception {
        Scenario.countsAreForThisKernel();
    }

    @Test
    void receiverNeverReadsAndTheSenderIsStopped() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--stall-after 0 --connections 1");
            Kit.Running sender = kit.script(name);
            receiver.awaitUnread(Scenario.FULL);
            long before = Scenario.ticks(sender.process);
            TimeUnit.SECONDS.sleep(1);
            long spent = Scenario.ticks(sender.process) - before;
            assertTrue(Scenario.spins(name) ? spent > 20 : spent < 10, spent * 10 + " ms");
            sender.signal("TERM");
            assertEquals(143, sender.await());
            Scenario.succeeds(receiver);
            assertEquals("hangup", Faulty.end(receiver));
            assertEquals(List.of(), Faulty.bytes(receiver, "received"));
        });
    }

    /** Without a timeout, connecting waits as long as the backlog is full. */
    @Test
    void connectingToAFullBacklogWaitsWithoutSpinning() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--never-accept --backlog 1");
            kit.python("""
                    import socket, time
                    waiting = [socket.socket(socket.AF_UNIX) for _ in range(2)]
                    for s in waiting:
                        s.connect('slow_receiver.sock')
                    print('full', flush=True)
                    time.sleep(60)
                    """).awaitOut("full"::equals);
            Kit.Running sender = kit.script(name);
            awaitInKernel(sender, "unix_wait_for_peer");
            long before = Scenario.ticks(sender.process);
            TimeUnit.SECONDS.sleep(1);
            long spent = Scenario.ticks(sender.process) - before;
            assertTrue(spent < 10, spent * 10 + " ms");
            receiver.signal("KILL");
            assertEquals(1, sender.await());
            assertEquals(1, sender.err().size(), () -> sender.err().toString());
        });
    }

    /** Waits until a thread sleeps in this function of the kernel. */
    private static void awaitInKernel(Kit.Running script, String function) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Kit.PATIENCE_SECONDS);
        while (!waitsIn(script, function)) {
            assertTrue(System.nanoTime() < deadline, "never in " + function);
        }
    }

    private static boolean waitsIn(Kit.Running script, String function) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + script.process.pid() + "/task"))) {
            for (Path thread : threads.toList()) {
                try {
                    if (Files.readString(thread.resolve("wchan")).equals(function)) {
                        return true;
                    }
                } catch (IOException e) {
                    continue; // the thread has ended
                }
            }
        }
        return false;
    }

    @Test
    void smallWritesArriveWhole() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--first-read-delay 60ms --interval 0s --connections 3");
            for (List<Integer> write : List.of(List.of(4000, 52), List.of(400, 1024), List.of(600, 1))) {
                String size = Integer.toString(write.get(0) * write.get(1));
                Kit.Running sender = kit.script(name, "--size", size, "--chunk", write.get(1).toString());
                Scenario.succeeds(sender);
                assertEquals(Collections.nCopies(write.get(0), "wrote " + write.get(1) + " bytes"), sender.out());
            }
            Scenario.succeeds(receiver);
            assertEquals(List.of(4000 * 52, 400 * 1024, 600), Faulty.bytes(receiver, "closed"));
        });
    }

    /** As recorded in kernel-patterns.tsv, where 52 bytes are charged like 1. */
    @Test
    void smallWritesFillTheQueueEarly() throws Exception {
        Scenario.with(Scenario.PATIENT, (kit, name) -> {
            boolean polls = name.equals("poll-sender");
            Kit.Running receiver = Scenario.receiver(kit, "--stall-after 0 --connections 3");
            for (List<Integer> write : List.of(List.of(1, polls ? 70 : 278), List.of(52, polls ? 70 : 278),
                    List.of(1024, polls ? 24 : 93))) {
                int size = write.get(0);
                Kit.Running sender = kit.script(name, "--chunk", Integer.toString(size), "--give-up", "500ms");
                Scenario.fails(sender, 3, size * write.get(1));
                assertEquals(Collections.nCopies(write.get(1), "wrote " + size + " bytes"), sender.out());
            }
            Scenario.succeeds(receiver);
        });
    }

    /** A busy loop refills each at once; the others wait until both are free. */
    @Test
    void smallBufferTakesTheTimeOfItsReader() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--read-size 4032 --first-read-delay 300ms --interval 20ms"
                    + " --connections 1");
            Kit.Running sender = kit.script(name, "--sndbuf", "4096", "--size", "16k");
            Scenario.succeeds(sender);
            Scenario.succeeds(receiver);
            List<Integer> inTwos = List.of(8064, 8064, 256);
            List<Integer> waited = name.equals("blocking-sender") ? List.of(16384) : inTwos;
            assertEquals(Scenario.spins(name) ? List.of(8064, 4032, 4032, 256) : waited, Scenario.wrote(sender));
            assertEquals(List.of(4032, 4032, 4032, 4032, 256), Faulty.bytes(receiver, "received"));
        });
    }

    /** The 25th echo of 8 KiB finds no room; until then 200 KiB have been read. */
    @Test
    void echoDeadlocksASenderThatDoesNotRead() throws Exception {
        Scenario.with(Scenario.PATIENT, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--echo --read-size 8k --interval 20ms --connections 1");
            Kit.Running sender = kit.script(name, "--give-up", "2s");
            Scenario.fails(sender, 3, Scenario.FULL_AND_200_KIB_READ);
            Scenario.succeeds(receiver);
            assertEquals(25, Kit.events(receiver, "echo").count());
            assertEquals(List.of(200 << 10), Faulty.bytes(receiver, "closed"));
            assertEquals("reset", Faulty.end(receiver));
        });
    }

    @Test
    void echoOf64KibibytesPasses() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--echo --interval 0s --connections 1");
            Kit.Running sender = kit.script(name, "--size", "64k");
            Scenario.succeeds(sender);
            Scenario.succeeds(receiver);
            assertEquals(List.of("wrote 65536 bytes"), sender.out());
        });
    }

    @Test
    void stoppedAndContinuedSenderLosesNothing() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--interval 10ms --connections 1");
            Kit.Running sender = kit.script(name);
            receiver.awaitOut(line -> line.contains("\"total\":102400}"));
            sender.signal("STOP");
            receiver.awaitUnread(0); // the receiver has read what was accepted, and waits
            sender.signal("CONT");
            Scenario.succeeds(sender);
            Scenario.succeeds(receiver);
            assertEquals(List.of(Scenario.MIB), Faulty.bytes(receiver, "closed"));
        });
    }

    @Test
    void idleSenderUsesNoCpu() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--interval 0s --connections 1");
            Kit.Running sender = kit.script(name, "--input", "-");
            OutputStream input = sender.process.getOutputStream();
            input.write('a');
            input.flush();
            receiver.awaitEvent("received");
            long before = Scenario.ticks(sender.process);
            TimeUnit.SECONDS.sleep(3);
            long spent = Scenario.ticks(sender.process) - before;
            assertTrue(spent <= 5, spent * 10 + " ms");
            input.close();
            Scenario.succeeds(sender);
            Scenario.succeeds(receiver);
        });
    }

    @Test
    void linesArriveOneByOne() throws Exception {
        Scenario.with(Scenario.SENDERS, (kit, name) -> {
            Kit.Running receiver = Scenario.receiver(kit, "--interval 0s --connections 1");
            Kit.Running sender = kit.script(name, "--input", "-");
            OutputStream input = sender.process.getOutputStream();
            for (int total = 80; total <= 800; total += 80) {
                input.write(("-".repeat(79) + '\n').getBytes(StandardCharsets.US_ASCII));
                input.flush();
                String arrived = "\"bytes\":80,\"total\":" + total + "}";
                receiver.awaitOut(line -> line.endsWith(arrived));
            }
            input.close();
            Scenario.succeeds(sender);
            Scenario.succeeds(receiver);
        });
    }
}
