import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every error is one line that names the path or the option, with the right exit status. */
class ErrorTest {
    static final List<String> SENDERS = List.of("blocking-sender", "nonblocking-sender", "poll-sender");

    static List<String> senders() {
        return SENDERS;
    }

    static List<String> scripts() {
        List<String> scripts = new ArrayList<>(SENDERS);
        scripts.add("slow-receiver");
        return scripts;
    }

    private static void fails(Kit.Running script, int status, String line) throws Exception {
        assertEquals(status, script.await());
        assertEquals(List.of(line), script.err());
        assertEquals(List.of(), script.out());
    }

    @ParameterizedTest
    @MethodSource("senders")
    void senderWithoutReceiver(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            fails(kit.script(sender), 1, sender + ": slow_receiver.sock: no such socket; start the receiver first");
            fails(kit.script(sender, "-s", "no/x.sock"), 1, sender + ": no/x.sock: no such socket; start the receiver first");
            Files.writeString(kit.dir.resolve("file"), "");
            fails(kit.script(sender, "-s", "file"), 1, sender + ": file: not a socket");
            fails(kit.script(sender, "-s", "file/x.sock"), 1, sender + ": file/x.sock: Not a directory");
            fails(kit.script(sender, "-s", "."), 1, sender + ": .: not a socket");
            kit.python("import socket; socket.socket(socket.AF_UNIX).bind('slow_receiver.sock')").await();
            fails(kit.script(sender), 1, sender + ": slow_receiver.sock: no receiver is listening (stale socket file)");
            kit.python("import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind('d.sock');"
                    + " print('ready', flush=True); s.recv(1)").awaitOut("ready"::equals);
            fails(kit.script(sender, "-s", "d.sock"), 1, sender + ": d.sock: Protocol wrong type for socket");
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void failureIsAnEventToo(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running running = kit.script(sender, "--json", "-s", "a \"b\"\\\u00e4\n.sock");
            assertEquals(1, running.await());
            assertEquals("a \"b\"\\\u00e4\n.sock: no such socket; start the receiver first",
                    Kit.events(running, "failed").findFirst().orElseThrow().get("message").getAsString());
        }
    }

    /** Root may do everything, so this runs as another user where the tests run as root. */
    @ParameterizedTest
    @MethodSource("scripts")
    void noPermission(String script) throws Exception {
        try (Kit kit = new Kit()) {
            Path closed = Files.createDirectory(kit.dir.resolve("closed"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.setPosixFilePermissions(kit.dir, PosixFilePermissions.fromString("rwxr-xr-x"));
            List<String> command = new ArrayList<>();
            if (System.getProperty("user.name").equals("root")) {
                command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
            } else {
                Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("---------"));
            }
            Path readable = copyOfClassPath(kit);
            for (String argument : kit.command(script, "--socket", "closed/x.sock")) {
                command.add(argument.equals(System.getProperty("java.class.path")) ? readable + "/*" : argument);
            }
            fails(kit.run(command.toArray(String[]::new)), 1, script + ": closed/x.sock: Permission denied");
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        }
    }

    private static Path copyOfClassPath(Kit kit) throws Exception {
        Path jars = Files.createDirectory(kit.dir.resolve("jars"));
        for (String jar : System.getProperty("java.class.path").split(":")) {
            Files.copy(Path.of(jar), jars.resolve(Path.of(jar).getFileName()));
        }
        return jars;
    }

    @Test
    void receiverInADirectoryThatDoesNotExist() throws Exception {
        try (Kit kit = new Kit()) {
            fails(kit.script("slow-receiver", "-s", "no/x.sock"), 1, "slow-receiver: no/x.sock: its directory does not exist");
        }
    }

    @ParameterizedTest
    @CsvSource({"1, x", "2, \u00e4"})
    void pathHasAtMost107Bytes(int bytesEach, String letter) throws Exception {
        try (Kit kit = new Kit()) {
            String prefix = kit.dir + "/" + "p".repeat((107 - kit.dir.toString().length() - 1) % bytesEach);
            String longest = prefix + letter.repeat((107 - prefix.length()) / bytesEach);
            String tooLong = longest + "y";
            Kit.Running receiver = kit.receiver("-s", longest, "-t", "0s");
            for (String sender : SENDERS) {
                assertEquals(0, kit.script(sender, "-s", longest).await());
                fails(kit.script(sender, "-s", tooLong), 2,
                        sender + ": --socket must not be longer than 107 bytes: " + tooLong + " (see --help)");
            }
            fails(kit.script("slow-receiver", "-s", tooLong), 2,
                    "slow-receiver: --socket must not be longer than 107 bytes: " + tooLong + " (see --help)");
            receiver.signal("TERM");
            receiver.await();
            try (var files = Files.list(kit.dir)) {
                assertEquals(0, files.count());
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--size|-1|'-1' is not a size such as 4096, 20k, 1m or 5g",
        "--size|1x|'1x' is not a size such as 4096, 20k, 1m or 5g",
        "--size|k|'k' is not a size such as 4096, 20k, 1m or 5g",
        "--size|1.5m|'1.5m' is not a size such as 4096, 20k, 1m or 5g",
        "--size|99999999999999g|'99999999999999g' is not a size such as 4096, 20k, 1m or 5g",
        "--chunk|0|'0' is not between 1 and 2047m",
        "--chunk|2g|'2g' is not between 1 and 2047m",
        "--sndbuf|0|'0' is not between 1 and 2047m",
        "--connect-timeout|5|'5' is not a duration such as 100ms, 1s, 1.5s or 2m",
        "--connect-timeout|-1s|'-1s' is not a duration such as 100ms, 1s, 1.5s or 2m",
        "--heartbeat|0s|'0s' must be longer",
        "--heartbeat|1h|'1h' is not a duration such as 100ms, 1s, 1.5s or 2m",
        "--give-up|0ms|'0ms' must be longer",
        "--give-up|s|'s' is not a duration such as 100ms, 1s, 1.5s or 2m"})
    void senderUsage(String option, String value, String message) throws Exception {
        try (Kit kit = new Kit()) {
            for (String sender : SENDERS) {
                fails(kit.script(sender, option + "=" + value), 2,
                        sender + ": Invalid value for option '" + option + "': " + message + " (see --help)");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--read-size|0|'0' is not between 1 and 2047m",
        "--read-size|2g|'2g' is not between 1 and 2047m",
        "--interval|1|'1' is not a duration such as 100ms, 1s, 1.5s or 2m",
        "--mode|999|'999' is not a mode such as 600 or 660",
        "--mode|1777|'1777' is not a mode such as 600 or 660",
        "--connections|x|'x' is not a long"})
    void receiverUsage(String option, String value, String message) throws Exception {
        try (Kit kit = new Kit()) {
            fails(kit.script("slow-receiver", option, value), 2,
                    "slow-receiver: Invalid value for option '" + option + "': " + message + " (see --help)");
        }
    }

    @Test
    void otherUsage() throws Exception {
        try (Kit kit = new Kit()) {
            fails(kit.script("slow-receiver", "--connections", "-1"), 2,
                    "slow-receiver: --connections must not be negative (see --help)");
            fails(kit.script("poll-sender", "--timeout", "0s"), 2,
                    "poll-sender: Invalid value for option '--timeout': '0s' must be longer (see --help)");
            for (String sender : SENDERS) {
                fails(kit.script(sender, "--size", "1", "--input", "-"), 2,
                        sender + ": --size does not go with --input (see --help)");
                fails(kit.script(sender, "--bogus"), 2, sender + ": Unknown option: '--bogus' (see --help)");
                fails(kit.script(sender, "surplus"), 2,
                        sender + ": Unmatched argument at index 0: 'surplus' (see --help)");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("senders")
    void inputThatCannotBeRead(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            kit.receiver();
            fails(kit.script(sender, "--input", "absent"), 1, sender + ": absent (No such file or directory)");
            fails(kit.script(sender, "--input", "/tmp"), 1, sender + ": /tmp (Is a directory)");
        }
    }

    @Test
    void outputThatCannotBeWritten() throws Exception {
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve("file"), "");
            fails(kit.script("slow-receiver", "--output", "."), 1, "slow-receiver: .: is a directory");
            fails(kit.script("slow-receiver", "--output", "no/x"), 1, "slow-receiver: no/x: cannot be written to");
            fails(kit.script("slow-receiver", "--output", "file/x"), 1, "slow-receiver: file/x: cannot be written to");
            assertFalse(Files.exists(kit.dir.resolve("slow_receiver.sock")));
        }
    }

    @Test
    void outputWhoseDirectoryIsGoneBeforeTheFirstConnection() throws Exception {
        try (Kit kit = new Kit()) {
            Files.createDirectory(kit.dir.resolve("d"));
            Kit.Running receiver = kit.receiver("--output", "d/x");
            Files.delete(kit.dir.resolve("d"));
            kit.script("poll-sender");
            assertEquals(1, receiver.await());
            assertEquals("slow-receiver: d/x: cannot be written to", receiver.err().get(1));
        }
    }

    @Test
    void outputThatGetsFull() throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver("--output", "/dev/full");
            kit.script("poll-sender");
            assertEquals(1, receiver.await());
            assertEquals("slow-receiver: /dev/full: No space left on device", receiver.err().get(1));
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void temporaryDirectoryThatCannotBeWritten(String script) throws Exception {
        try (Kit kit = new Kit()) {
            List<String> command = new ArrayList<>(kit.command(script));
            command.add(1, "-Djava.io.tmpdir=/proc/self");
            String message = script + ": /proc/self: cannot unpack junixsocket's native library here;"
                    + " name a writable directory with -Dorg.newsclub.net.unix.library.tmpdir=DIR";
            fails(kit.run(command.toArray(String[]::new)), 1, message);
            command.add(1, "-Dorg.newsclub.net.unix.library.tmpdir=" + kit.dir);
            command.add("--version");
            assertEquals(0, kit.run(command.toArray(String[]::new)).await());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "--version"})
    void helpAndVersionGoToStandardOutput(String option) throws Exception {
        try (Kit kit = new Kit()) {
            for (String script : scripts()) {
                Kit.Running running = kit.script(script, option);
                assertEquals(0, running.await());
                assertEquals(List.of(), running.err());
                assertTrue(running.out().stream().anyMatch(line -> line.contains(script)));
                assertTrue(running.out().stream().allMatch(line -> line.length() <= 80));
            }
        }
    }
}
