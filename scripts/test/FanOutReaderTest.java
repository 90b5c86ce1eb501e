import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Readers of fan-out-sender that come late, talk, go deaf, or die. */
class FanOutReaderTest {
    @Test
    void aLateReaderStartsWithTheNewestByte() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running sender = FanOutTest.sender(kit, "-i", "-");
            Kit.Running first = kit.run("socat", "-u", "UNIX-CONNECT:slow_receiver.sock", "-");
            OutputStream stdin = sender.process.getOutputStream();
            int n = feed(stdin, 0, () -> first.out().size() > 0);
            Kit.Running late = kit.run("socat", "-u", "UNIX-CONNECT:slow_receiver.sock", "-");
            n = feed(stdin, n, () -> late.out().size() > 0);
            stdin.close();
            assertEquals(0, sender.await());
            assertEquals(0, first.await());
            assertEquals(0, late.await());
            for (Kit.Running reader : List.of(first, late)) {
                int from = Integer.parseInt(reader.out().get(0));
                assertEquals(n - from, reader.out().size());
                assertEquals(Integer.toString(n - 1), reader.out().get(n - 1 - from));
            }
            assertTrue(late.out().size() < first.out().size());
        }
    }

    /** Feeds numbers, one a line, until the condition holds; the next number. */
    private static int feed(OutputStream stdin, int from, Callable<Boolean> condition) throws Exception {
        int[] next = {from};
        FanOutTest.await(() -> {
            stdin.write((next[0]++ + "\n").getBytes());
            stdin.flush();
            return condition.call();
        });
        return next[0];
    }

    @Test
    void theOthersDoNotNoticeOneThatDies() throws Exception {
        try (Kit kit = new Kit()) {
            byte[] input = FanOutTest.input(kit, 8 << 20);
            Kit.Running sender = FanOutTest.sender(kit, "-i", "input", "--readers", "4");
            Kit.Running dying = kit.python("""
                    import socket
                    s = socket.socket(socket.AF_UNIX)
                    s.connect("slow_receiver.sock")
                    print("connected", flush=True)
                    left = 300000
                    while left:
                        left -= len(s.recv(left))
                    """);
            dying.awaitOut(line -> line.equals("connected"));
            FanOutTest.assertComplete(FanOutTest.readers(kit, 3), input);
            assertTrue(FanOutTest.told(sender, "gone at byte") >= 300000);
            assertEquals(0, sender.await());
        }
    }

    @Test
    void noticesThatAReaderShutsDownAFullQueue() throws Exception {
        try (Kit kit = new Kit()) {
            byte[] input = FanOutTest.input(kit, 4 << 20);
            Kit.Running sender = FanOutTest.sender(kit, "-i", "input", "--readers", "2", "--lag", "wait");
            Kit.Running deaf = kit.python("""
                    import socket, sys
                    s = socket.socket(socket.AF_UNIX)
                    s.connect("slow_receiver.sock")
                    print("connected", flush=True)
                    sys.stdin.readline()
                    s.shutdown(socket.SHUT_RD)
                    sys.stdin.readline()
                    """);
            deaf.awaitOut(line -> line.equals("connected"));
            Kit.Running other = FanOutTest.readers(kit, 1);
            FanOutTest.await(() -> FanOutTest.wrote(sender, 1) > 0
                    && FanOutTest.wrote(sender, 2) == FanOutTest.wrote(sender, 1) + FanOutTest.KEEP);
            deaf.process.getOutputStream().write('\n');
            deaf.process.getOutputStream().flush();
            FanOutTest.assertComplete(other, input);
            assertEquals(FanOutTest.wrote(sender, 1), FanOutTest.told(sender, "gone at byte"));
            assertEquals(0, sender.await());
        }
    }

    @Test
    void noticesThatAReaderGoesWhileThereIsNothingToSend() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running sender = FanOutTest.sender(kit, "-i", "-");
            kit.python("import socket; socket.socket(socket.AF_UNIX).connect('slow_receiver.sock')");
            assertEquals(0, FanOutTest.told(sender, "gone at byte"));
        }
    }

    /** It reads when the sender has gone: what lay unread there must not have turned the end into a reset. */
    @Test
    void whatAReaderSendsIsIgnored() throws Exception {
        try (Kit kit = new Kit()) {
            byte[] input = FanOutTest.input(kit, 100_000);
            Kit.Running sender = FanOutTest.sender(kit, "-i", "input", "--readers", "2");
            Kit.Running talking = kit.python("""
                    import hashlib, socket, sys
                    s = socket.socket(socket.AF_UNIX)
                    s.connect("slow_receiver.sock")
                    s.sendall(b"subscribe" * 1000)
                    s.shutdown(socket.SHUT_WR)
                    print("connected", flush=True)
                    sys.stdin.readline()
                    with s.makefile("rb") as stream:
                        print(hashlib.sha256(stream.read()).hexdigest())
                    """);
            talking.awaitOut(line -> line.equals("connected"));
            FanOutTest.assertComplete(FanOutTest.readers(kit, 1), input);
            assertEquals(0, sender.await());
            talking.process.getOutputStream().close();
            assertEquals(0, talking.await(), () -> talking.err().toString());
            assertEquals(FanOutTest.got(input, 0, input.length), input.length + " " + talking.out().get(1));
            assertEquals(1, sender.err().size());
        }
    }
}
