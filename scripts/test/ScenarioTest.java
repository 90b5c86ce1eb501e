import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What people report of local sockets, played for every sender by the faulty receiver. The counts follow from the
 * kernel's rules for 4 KiB pages and the default buffer: a full queue holds 6 socket buffers of 36544 bytes; one is
 * released when its last byte was read; a busy loop fills it at once, a write that waits, and poll, when 5 are free.
 */
@Isolated("the counts are those of a sender that acts within a pause or two of the receiver")
class ScenarioTest {
    private static final List<String> SENDERS = List.of("blocking-sender", "nonblocking-sender", "poll-sender");
    private static final int MIB = 1 << 20;

    /** Nothing released, as when 20 KiB are read. */
    private static final int FULL = 6 * 36544;

    /** 512 KiB read are 14 buffers; those that wait for 5 have filled the queue twice. */
    private static final int FULL_AND_512_KIB_READ = (6 + 5 + 5) * 36544;
    private static final int FULL_AND_512_KIB_READ_BUSY = (6 + 14) * 36544;

    /** 200 KiB read are 5 buffers. */
    private static final int FULL_AND_200_KIB_READ = (6 + 5) * 36544;

    @BeforeAll
    static void countsAreForThisKernel() throws Exception {
        String buffer = Files.readAllLines(Path.of("/proc/sys/net/core/wmem_default")).get(0);
        Process getconf = new ProcessBuilder("getconf", "PAGESIZE").start();
        String page = new String(getconf.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        Assumptions.assumeTrue(buffer.equals("212992") && page.equals("4096"),
                () -> "the counts are for a buffer of 212992, not " + buffer + ", and pages of 4096, not " + page);
    }

    interface Scenario {
        void play(Kit kit, String sender) throws Exception;
    }

    /** Plays a scenario with all senders at once, as it is mostly waiting; each in a directory of its own. */
    private static void withEachSender(Scenario scenario) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(SENDERS.size());
        List<Callable<Void>> plays = SENDERS.stream().<Callable<Void>>map(sender -> () -> {
            try (Kit kit = new Kit()) {
                scenario.play(kit, sender);
                return null;
            } catch (AssertionError | Exception e) {
                throw new AssertionError(sender + ": " + e.getMessage(), e);
            }
        }).toList();
        List<Future<Void>> played = pool.invokeAll(plays);
        pool.shutdown();
        assertAll(played.stream().<Executable>map(play -> () -> {
            try {
                play.get();
            } catch (ExecutionException e) {
                throw e.getCause();
            }
        }));
    }

    private static Kit.Running receiver(Kit kit, String options) throws Exception {
        return kit.faultyReceiver(("--json " + options).split(" +"));
    }

    private static void fails(Kit.Running sender, int status, String problem, int accepted) throws Exception {
        assertEquals(status, sender.await(), () -> sender.err().toString());
        assertEquals(1, sender.err().size(), () -> sender.err().toString());
        String line = sender.err().get(0);
        assertEquals("slow_receiver.sock: " + problem + "; " + accepted + " bytes had been accepted",
                line.substring(line.indexOf(' ') + 1));
    }

    private static void succeeds(Kit.Running running) throws Exception {
        assertEquals(0, running.await(), () -> running.err().toString());
    }

    private static final String GONE = "the receiver closed the connection";

    private static List<Integer> numbers(Kit.Running script, String event, String field) {
        return Kit.events(script, event).map(fields -> fields.get(field).getAsInt()).toList();
    }

    private static List<String> strings(Kit.Running script, String event, String field) {
        return Kit.events(script, event).map(fields -> fields.get(field).getAsString()).toList();
    }

    private static boolean spins(String sender) {
        return sender.equals("nonblocking-sender");
    }

    /** The CRC-32C of generated bytes: byte p is p modulo 251. */
    private static String crc32c(int size) {
        CRC32C crc = new CRC32C();
        for (int p = 0; p < size; p++) {
            crc.update(p % 251);
        }
        return String.format("%08x", crc.getValue());
    }

    /** CPU time of a process in hundredths of a second. */
    private static long ticks(Process process) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    // 1. Payloads around the size of the buffers, at a reader of uneven pace

    @Test
    void payloadsArriveWholeDespiteJitter() throws Exception {
        List<Integer> sizes = List.of(MIB - 1, MIB, MIB + 1, 2 * MIB, 8 * MIB);
        withEachSender((kit, sender) -> {
            Kit.Running receiver = receiver(kit, "--interval 0s --jitter 3ms --connections 5");
            for (int size : sizes) {
                succeeds(kit.script(sender, "--size", Integer.toString(size)));
            }
            succeeds(receiver);
            assertEquals(sizes, numbers(receiver, "closed", "bytes"));
            assertEquals(sizes.stream().map(ScenarioTest::crc32c).toList(), strings(receiver, "closed", "crc32c"));
        });
    }

    // 2. A receiver that is busy with something else first

    @Test
    void receiverReadsNothingForFiveSeconds() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--first-read-delay 5s --interval 10ms --connections 1");
            Kit.Running sender = kit.script(name, "--json");
            succeeds(sender);
            succeeds(receiver);
            List<Integer> writes = numbers(sender, "wrote", "bytes");
            assertEquals(name.equals("blocking-sender") ? MIB : FULL, writes.get(0));
            assertEquals(MIB, writes.stream().mapToInt(n -> n).sum());
            JsonObject closed = receiver.awaitEvent("closed");
            assertEquals(MIB, closed.get("bytes").getAsInt());
            assertEquals(crc32c(MIB), closed.get("crc32c").getAsString());
            double waited = receiver.awaitEvent("received").get("time").getAsDouble()
                    - receiver.awaitEvent("connected").get("time").getAsDouble();
            assertTrue(waited >= 5 && waited < 6, waited + " s");
        });
    }

    // 3. A receiver that never reads

    @Test
    void receiverNeverReadsAndTheSenderIsStopped() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--stall-after 0 --connections 1");
            Kit.Running sender = kit.script(name);
            receiver.awaitUnread(FULL);
            long before = ticks(sender.process);
            TimeUnit.SECONDS.sleep(1);
            long spent = ticks(sender.process) - before;
            System.out.println("  CPU within 1 s at a receiver that never reads: " + name + " " + spent * 10 + " ms");
            assertTrue(spins(name) ? spent > 20 : spent < 10, spent * 10 + " ms");
            long since = System.nanoTime();
            sender.signal("TERM");
            fails(sender, 143, "stopped by a signal", FULL);
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
            assertTrue(millis < 2000, millis + " ms");
            succeeds(receiver);
            assertEquals(List.of("hangup"), strings(receiver, "closed", "end"));
            assertEquals(List.of(), numbers(receiver, "received", "bytes"));
        });
    }

    // 4. A receiver that stalls and stays open

    @Test
    void receiverStallsAndTheSenderGivesUp() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--stall-after 200k --interval 20ms --connections 1");
            Kit.Running sender = kit.script(name, "--give-up", "2s");
            fails(sender, 3, "gave up, nothing could be written for 2.000000 s", FULL_AND_200_KIB_READ);
            succeeds(receiver);
            assertEquals(List.of(200 << 10), numbers(receiver, "stall", "bytes"));
            assertEquals(List.of("hangup"), strings(receiver, "closed", "end"));
        });
    }

    @Test
    void receiverStallsAndReadsOn() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--stall-after 200k --resume-after 1s --interval 10ms"
                    + " --connections 1 --expect-crc32c " + crc32c(MIB));
            Kit.Running sender = kit.script(name, "--give-up", "10s");
            succeeds(sender);
            succeeds(receiver);
            assertEquals(List.of(200 << 10), numbers(receiver, "resume", "bytes"));
            assertEquals(List.of(MIB), numbers(receiver, "closed", "bytes"));
        });
    }

    // 5. A receiver that closes

    @Test
    void receiverClosesWithDataUnread() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--close-after 20k --interval 200ms --connections 1");
            fails(kit.script(name), 1, GONE, FULL);
            succeeds(receiver);
            assertEquals(List.of(20 << 10), numbers(receiver, "closed", "bytes"));
            assertEquals(List.of("close"), strings(receiver, "closed", "end"));
        });
    }

    @Test
    void receiverClosesAtHalf() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--stall-after 512k --resume-after 500ms --close-after 512k"
                    + " --interval 40ms --connections 1");
            fails(kit.script(name), 1, GONE, spins(name) ? FULL_AND_512_KIB_READ_BUSY : FULL_AND_512_KIB_READ);
            succeeds(receiver);
            assertEquals(List.of(MIB / 2), numbers(receiver, "closed", "bytes"));
        });
    }

    @Test
    void receiverClosesAfterDrainingEverything() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--close-after 1m --interval 2ms --connections 1");
            succeeds(kit.script(name));
            succeeds(receiver);
            assertEquals(List.of(MIB), numbers(receiver, "closed", "bytes"));
            assertEquals(List.of("close"), strings(receiver, "closed", "end"));
        });
    }

    // 6. A receiver that shuts down its input

    /** poll(2) never reports it: poll-sender tries a write after 30 s, which is longer than its patience here. */
    @Test
    void receiverShutsDownItsInputWithTheQueueFull() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--shutdown-input-after 0 --first-read-delay 1s --connections 1");
            boolean patient = name.equals("poll-sender");
            Kit.Running sender = kit.script(name, "--give-up", "3s");
            fails(sender, patient ? 3 : 1, patient ? "gave up, nothing could be written for 3.000000 s" : GONE, FULL);
            succeeds(receiver);
            assertEquals(List.of(0), numbers(receiver, "shutdown_input", "bytes"));
            assertEquals(List.of("hangup"), strings(receiver, "closed", "end"));
        });
    }

    @Test
    void receiverShutsDownItsInputWithTheQueueEmpty() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--shutdown-input-after 1000 --interval 0s --connections 1");
            Kit.Running sender = kit.script(name, "--input", "-");
            OutputStream input = sender.process.getOutputStream();
            input.write(new byte[1000]);
            input.flush();
            receiver.awaitEvent("shutdown_input");
            input.write(new byte[1000]);
            input.flush();
            fails(sender, 1, GONE, 1000);
            succeeds(receiver);
        });
    }

    // 7. More senders than the backlog takes, at a receiver that never accepts

    /** Linux lets one more wait than the backlog says. Once connected, only the nonblocking sender spins. */
    @ParameterizedTest
    @ValueSource(strings = {"blocking-sender", "nonblocking-sender", "poll-sender"})
    void sevenSendersAtAReceiverThatNeverAccepts(String name) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = receiver(kit, "--never-accept --backlog 5");
            List<Kit.Running> senders = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                senders.add(kit.script(name, "--connect-timeout", "1s"));
            }
            CompletableFuture.anyOf(senders.stream().map(sender -> sender.process.onExit())
                    .toArray(CompletableFuture[]::new)).get(Kit.PATIENCE_SECONDS, TimeUnit.SECONDS);
            Kit.Running refused = senders.stream().filter(sender -> !sender.process.isAlive()).findFirst()
                    .orElseThrow();
            assertEquals(1, refused.await());
            assertEquals(List.of(name + ": slow_receiver.sock: the receiver's backlog is full"), refused.err());

            senders.remove(refused);
            long before = ticks(senders);
            TimeUnit.SECONDS.sleep(1);
            long spent = ticks(senders) - before;
            assertTrue(spins(name) ? spent > 20 : spent < 20, spent * 10 + " ms");

            receiver.signal("TERM");
            for (Kit.Running sender : senders) {
                fails(sender, 1, GONE, FULL);
            }
            assertEquals(143, receiver.await());
            assertEquals(List.of(5), numbers(receiver, "never_accept", "backlog"));
        }
    }

    private static long ticks(List<Kit.Running> scripts) throws IOException {
        long sum = 0;
        for (Kit.Running script : scripts) {
            sum += ticks(script.process);
        }
        return sum;
    }

    /** Without a timeout, connecting waits as long as the backlog is full. */
    @Test
    void connectingToAFullBacklogWaitsWithoutSpinning() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--never-accept --backlog 1");
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
            long before = ticks(sender.process);
            TimeUnit.SECONDS.sleep(1);
            long spent = ticks(sender.process) - before;
            assertTrue(spent < 10, spent * 10 + " ms");
            receiver.signal("KILL");
            assertEquals(1, sender.await());
            assertEquals(List.of(name + ": slow_receiver.sock: no receiver is listening (stale socket file)"),
                    sender.err());
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

    // 8. A receiver that is killed and comes back on the same path

    @Test
    void receiverRestartsMidTransfer() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--stall-after 200k --resume-after 500ms --restart-after 200k"
                    + " --down 500ms --interval 20ms --connections 2");
            fails(kit.script(name), 1, GONE, FULL_AND_200_KIB_READ);
            succeeds(kit.script(name, "--connect-timeout", "20s"));
            succeeds(receiver);
            assertEquals(List.of("restart", "eof"), strings(receiver, "closed", "end"));
            assertEquals(List.of(200 << 10, MIB), numbers(receiver, "closed", "bytes"));
            assertEquals(2, Kit.events(receiver, "listening").count());
        });
    }

    @Test
    void receiverIsKilledAndReplacedMidTransfer() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--stall-after 200k --interval 20ms");
            Kit.Running sender = kit.script(name);
            receiver.awaitUnread(FULL_AND_200_KIB_READ - (200 << 10));
            receiver.signal("KILL");
            fails(sender, 1, GONE, FULL_AND_200_KIB_READ);
            Kit.Running next = receiver(kit, "--interval 1ms --connections 1");
            succeeds(kit.script(name));
            succeeds(next);
            assertEquals(List.of(MIB), numbers(next, "closed", "bytes"));
        });
    }

    // 9. Small writes: a byte is charged like half a KiB, so the queue is full of few of them

    @Test
    void smallWritesArriveWhole() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--first-read-delay 60ms --interval 0s --connections 3");
            for (List<Integer> write : List.of(List.of(4000, 52), List.of(400, 1024), List.of(600, 1))) {
                String size = Integer.toString(write.get(0) * write.get(1));
                Kit.Running sender = kit.script(name, "--size", size, "--chunk", write.get(1).toString());
                succeeds(sender);
                assertEquals(Collections.nCopies(write.get(0), "wrote " + write.get(1) + " bytes"), sender.out());
            }
            succeeds(receiver);
            assertEquals(List.of(crc32c(4000 * 52), crc32c(400 * 1024), crc32c(600)),
                    strings(receiver, "closed", "crc32c"));
        });
    }

    /** As recorded in kernel-patterns.tsv, where 52 bytes are charged like 1. */
    @Test
    void smallWritesFillTheQueueEarly() throws Exception {
        withEachSender((kit, name) -> {
            boolean polls = name.equals("poll-sender");
            Kit.Running receiver = receiver(kit, "--stall-after 0 --connections 3");
            for (List<Integer> write : List.of(List.of(1, polls ? 70 : 278), List.of(52, polls ? 70 : 278),
                    List.of(1024, polls ? 24 : 93))) {
                int size = write.get(0);
                Kit.Running sender = kit.script(name, "--chunk", Integer.toString(size), "--give-up", "500ms");
                fails(sender, 3, "gave up, nothing could be written for 0.500000 s", size * write.get(1));
                assertEquals(Collections.nCopies(write.get(1), "wrote " + size + " bytes"), sender.out());
            }
            succeeds(receiver);
        });
    }

    // 10. A small send buffer: two socket buffers of 4032 bytes fit, and each read releases one

    /** A busy loop refills each at once; the others wait until both are free. */
    @Test
    void smallBufferTakesTheTimeOfItsReader() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--read-size 4032 --first-read-delay 300ms --interval 20ms"
                    + " --connections 1");
            Kit.Running sender = kit.script(name, "--sndbuf", "4096", "--size", "16k", "--json");
            succeeds(sender);
            succeeds(receiver);
            assertEquals(name.equals("blocking-sender") ? List.of(16384) : spins(name) ? List.of(8064, 4032, 4032, 256)
                    : List.of(8064, 8064, 256), numbers(sender, "wrote", "bytes"));
            assertEquals(List.of(4032, 4032, 4032, 4032, 256), numbers(receiver, "received", "bytes"));
            double lastWrite = times(sender, "wrote").max().orElseThrow();
            double room = times(receiver, "received").sorted().skip(spins(name) ? 2 : 3).findFirst().orElseThrow();
            assertTrue(Math.abs(lastWrite - room) < 0.1, lastWrite - room + " s after the read that made room");
        });
    }

    private static DoubleStream times(Kit.Running script, String event) {
        return Kit.events(script, event).mapToDouble(fields -> fields.get("time").getAsDouble());
    }

    // 11. A receiver that answers, and a sender that does not read the answers

    /** The 25th echo of 8 KiB finds no room; until then 200 KiB have been read. */
    @Test
    void echoDeadlocksASenderThatDoesNotRead() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--echo --read-size 8k --interval 20ms --connections 1");
            Kit.Running sender = kit.script(name, "--give-up", "2s");
            fails(sender, 3, "gave up, nothing could be written for 2.000000 s", FULL_AND_200_KIB_READ);
            succeeds(receiver);
            assertEquals(25, Kit.events(receiver, "echo").count());
            assertEquals(List.of(200 << 10), numbers(receiver, "closed", "bytes"));
            assertEquals(List.of("reset"), strings(receiver, "closed", "end"));
        });
    }

    @Test
    void echoOf64KibibytesPasses() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--echo --interval 0s --connections 1");
            Kit.Running sender = kit.script(name, "--size", "64k", "--give-up", "5s");
            succeeds(sender);
            succeeds(receiver);
            assertEquals(List.of("wrote 65536 bytes"), sender.out());
        });
    }

    // 12. A sender that is stopped, continued, interrupted

    @Test
    void stoppedAndContinuedSenderLosesNothing() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--interval 10ms --connections 1");
            Kit.Running sender = kit.script(name);
            receiver.awaitOut(line -> line.contains("\"total\":102400}"));
            sender.signal("STOP");
            receiver.awaitUnread(0); // the receiver has read what was accepted, and waits
            sender.signal("CONT");
            succeeds(sender);
            succeeds(receiver);
            assertEquals(List.of(crc32c(MIB)), strings(receiver, "closed", "crc32c"));
        });
    }

    @Test
    void interruptedSenderCountsWhatTheReceiverGets() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--interval 10ms --connections 1");
            Kit.Running sender = kit.script(name);
            receiver.awaitOut(line -> line.contains("\"total\":614400}")); // 0.3 s at this pace
            sender.signal("INT");
            succeeds(receiver);
            int delivered = receiver.awaitEvent("closed").get("bytes").getAsInt();
            fails(sender, 130, "stopped by a signal", delivered);
            assertTrue(delivered > 614400 && delivered < MIB, delivered + " bytes");
        });
    }

    // 13. and 14. A sender whose input trickles or does not come

    @Test
    void idleSenderUsesNoCpu() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--interval 0s --connections 1");
            Kit.Running sender = kit.script(name, "--input", "-");
            OutputStream input = sender.process.getOutputStream();
            input.write('a');
            input.flush();
            receiver.awaitEvent("received");
            sender.awaitOut("wrote 1 bytes"::equals);
            long before = ticks(sender.process);
            TimeUnit.SECONDS.sleep(3);
            long spent = ticks(sender.process) - before;
            assertTrue(spent <= 5, spent * 10 + " ms");
            input.close();
            succeeds(sender);
            succeeds(receiver);
        });
    }

    @Test
    void linesArriveOneByOne() throws Exception {
        withEachSender((kit, name) -> {
            Kit.Running receiver = receiver(kit, "--interval 0s --connections 1");
            Kit.Running sender = kit.script(name, "--input", "-");
            OutputStream input = sender.process.getOutputStream();
            for (int total = 80; total <= 800; total += 80) {
                input.write(("-".repeat(79) + '\n').getBytes(StandardCharsets.US_ASCII));
                input.flush();
                String arrived = "\"bytes\":80,\"total\":" + total + "}";
                receiver.awaitOut(line -> line.endsWith(arrived));
            }
            input.close();
            succeeds(sender);
            succeeds(receiver);
        });
    }

    // 15. The mode of the socket file

    /** The library makes the file connectable by all before --mode is set; a private directory closes that window. */
    @ParameterizedTest
    @ValueSource(strings = {"slow-receiver", "faulty-receiver"})
    void socketFileIsOpenToAllForAMoment(String script) throws Exception {
        try (Kit kit = new Kit()) {
            List<String> command = new ArrayList<>(List.of("strace", "-f", "-qq", "-o", "trace", "-e", "signal=none",
                    "-e", "trace=bind,listen,chmod"));
            command.addAll(kit.command(script, "--mode", "640"));
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
                receiver(kit, "--socket " + dir.resolve("s") + " --mode 666");
                Kit.Running stranger = kit.python("""
                        import os, socket, sys
                        os.setuid(65534)
                        try:
                            socket.socket(socket.AF_UNIX).connect(sys.argv[1])
                            print('connected')
                        except PermissionError as e:
                            print(e.strerror)
                        """, dir.resolve("s").toString());
                succeeds(stranger);
                assertEquals(List.of(dir.equals(open) ? "connected" : "Permission denied"), stranger.out());
            }
        }
    }

    // 16. Many at once

    @Test
    void twoHundredConnectionsAtOnceAreAllServed() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = receiver(kit, "--parallel 200 --connections 200 --interval 1ms");
            Kit.Running peers = kit.python("""
                    import socket, sys, threading
                    go = threading.Event()
                    def send(n):
                        s = socket.socket(socket.AF_UNIX)
                        s.connect('slow_receiver.sock')
                        go.wait()
                        s.sendall(bytes(100000 + n))
                    for n in range(200):
                        threading.Thread(target=send, args=[n]).start()
                    sys.stdin.read()
                    go.set()
                    """);
            receiver.awaitOut(line -> line.contains("\"connected\",\"connection\":200,"));
            peers.process.getOutputStream().close();
            succeeds(peers);
            succeeds(receiver);
            assertEquals(IntStream.range(0, 200).map(n -> 100_000 + n).boxed().toList(),
                    numbers(receiver, "closed", "bytes").stream().sorted().toList());
            assertEquals(Collections.nCopies(200, "eof"), strings(receiver, "closed", "end"));
        }
    }
}
