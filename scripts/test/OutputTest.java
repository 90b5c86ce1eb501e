import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Standard output that is lost, and names that the locale lacks: one true line each. */
class OutputTest {
    static List<String> senders() throws Exception {
        return Exemplars.senders();
    }

    static List<String> scripts() throws Exception {
        return Exemplars.scripts();
    }

    /** Runs an exemplar by a shell that does something with its standard output. */
    private static Kit.Running shell(Kit kit, String script, String rest, String... args) throws Exception {
        String command = "'" + String.join("' '", Exemplars.command(kit, script, args)) + "'";
        return kit.run("bash", "-c", command + " " + rest);
    }

    @ParameterizedTest
    @MethodSource("senders")
    void senderWhoseOutputIsFull(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver("--interval", "0s", "--connections", "1");
            Kit.Running full = shell(kit, sender, "> /dev/full", "--size", "1000");
            assertEquals(1, full.await());
            assertEquals(List.of(sender + ": stdout: not writable; 1000 bytes had been accepted"), full.err());
            assertEquals(0, receiver.await());
            assertTrue(receiver.out().contains("received 1000 bytes..."), "what was to be sent was sent all the same");
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void senderWhoseOutputIsAClosedPipe(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver("--interval", "0s");
            Kit.Running closed = shell(kit, sender, "| true; exit ${PIPESTATUS[0]}", "--size", "1000");
            assertEquals(1, closed.await());
            assertEquals(List.of(sender + ": stdout: not writable; 1000 bytes had been accepted"), closed.err());
        }
    }

    @Test
    void receiverWhoseOutputIsFullEnds() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = shell(kit, "slow-receiver", "> /dev/full");
            receiver.awaitErr(line -> line.contains("listening"));
            kit.script("poll-sender", "--size", "1000").await();
            assertEquals(1, receiver.await());
            assertEquals(List.of("slow-receiver: listening on slow_receiver.sock",
                    "slow-receiver: standard output: cannot be written to"), receiver.err());
            assertTrue(Files.notExists(kit.dir.resolve("slow_receiver.sock")));
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void helpThatCannotBeWritten(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running help = shell(kit, script, "> /dev/full", "--help");
            assertEquals(1, help.await());
            assertEquals(1, help.err().size());
            assertTrue(help.err().get(0).startsWith(script + ": stdout: not writable"));
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void nameThatTheLocaleLacks(String script) throws Exception {
        try (Kit kit = new Kit()) {
            List<String> options = List.of("--socket", "--input").subList(0, script.equals("slow-receiver") ? 1 : 2);
            for (String option : options) {
                Kit.Running garbled = kit.run("bash", "-c", "LC_ALL=C exec '"
                        + String.join("' '", Exemplars.command(kit, script)) + "' " + option + "=$'\\303\\244'");
                assertEquals(2, garbled.await());
                assertEquals(1, garbled.err().size(), () -> garbled.err().toString());
                assertTrue(garbled.err().get(0).startsWith(script + ": Invalid value for option '" + option + "'"));
            }
        }
    }

    /** A relative path means the same file whatever the name of the working directory. */
    @ParameterizedTest
    @MethodSource("senders")
    void workingDirectoryThatTheLocaleLacks(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            Map<String, String> environment = Map.of("LC_ALL", "C");
            String receive = "d=$(printf 'd\\303\\244'); mkdir -p $d; cd $d; exec '"
                    + String.join("' '", kit.command("slow-receiver", "-t", "0s", "--connections", "1")) + "'";
            String send = "cd d*; exec '" + String.join("' '", Exemplars.command(kit, sender, "-n", "1000")) + "'";
            Kit.Running receiver = kit.run(environment, "bash", "-c", receive);
            receiver.awaitErr(line -> line.contains("listening"));
            Kit.Running second = kit.run(environment, "bash", "-c", receive);
            assertEquals(1, second.await());
            assertEquals(List.of("slow-receiver: slow_receiver.sock: another receiver is listening"), second.err());
            Kit.Running running = kit.run(environment, "bash", "-c", send);
            assertEquals(0, running.await(), () -> running.err().toString());
            assertEquals(0, receiver.await());
            Kit.Running list = kit.run("bash", "-c", "cd d* && ls && echo precious > slow_receiver.sock");
            assertEquals(0, list.await());
            assertEquals(List.of(), list.out(), "the receiver removed its socket");
            Kit.Running third = kit.run(environment, "bash", "-c", receive);
            assertEquals(1, third.await());
            Kit.Running cat = kit.run("bash", "-c", "cat d*/slow_receiver.sock; rm -r d*");
            assertEquals(0, cat.await());
            assertEquals(List.of("precious"), cat.out());
        }
    }
}
