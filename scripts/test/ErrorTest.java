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
    private static final String NONE = "; 0 bytes had been accepted";

    static List<String> senders() throws Exception {
        return Exemplars.senders();
    }

    static List<String> scripts() throws Exception {
        return Exemplars.scripts();
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
            String absent = "No such file or directory" + NONE;
            fails(Exemplars.start(kit, sender), 1, sender + ": slow_receiver.sock: " + absent);
            fails(Exemplars.start(kit, sender, "-s", "no/x.sock"), 1, sender + ": no/x.sock: " + absent);
            Files.writeString(kit.dir.resolve("file"), "");
            fails(Exemplars.start(kit, sender, "-s", "file"), 1, sender + ": file: Connection refused" + NONE);
            fails(Exemplars.start(kit, sender, "-s", "file/x"), 1, sender + ": file/x: Not a directory" + NONE);
            fails(Exemplars.start(kit, sender, "-s", "."), 1, sender + ": .: Connection refused" + NONE);
            kit.python("import socket; socket.socket(socket.AF_UNIX).bind('slow_receiver.sock')").await();
            fails(Exemplars.start(kit, sender), 1, sender + ": slow_receiver.sock: Connection refused" + NONE);
            kit.python("import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind('d.sock');"
                    + " print('ready', flush=True); s.recv(1)").awaitOut("ready"::equals);
            fails(Exemplars.start(kit, sender, "-s", "d.sock"), 1,
                    sender + ": d.sock: Protocol wrong type for socket" + NONE);
        }
    }

    /** Root may do everything, so this runs as another user where the tests run as root. */
    static List<String> scriptsOfThisJdk() throws Exception {
        return scripts().stream().filter(script -> !script.equals("virtual-sender")).toList();
    }

    @ParameterizedTest
    @MethodSource("scriptsOfThisJdk")
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
            fails(kit.run(command.toArray(String[]::new)), 1, script + ": closed/x.sock: Permission denied"
                    + (script.equals("slow-receiver") ? "" : NONE));
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
            fails(kit.script("slow-receiver", "-s", "no/x"), 1, "slow-receiver: no/x: No such file or directory");
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
            for (String sender : senders()) {
                if (!sender.equals("virtual-sender")) { // the JDK takes 106
                    assertEquals(0, Exemplars.start(kit, sender, "-s", longest).await());
                }
                fails(Exemplars.start(kit, sender, "-s", tooLong), 2,
                        sender + ": --socket must have 1 to 107 bytes: " + tooLong + " (see --help)");
            }
            fails(kit.script("slow-receiver", "-s", tooLong), 2,
                    "slow-receiver: --socket must have 1 to 107 bytes: " + tooLong + " (see --help)");
            receiver.signal("TERM");
            receiver.await();
            try (var files = Files.list(kit.dir)) {
                assertEquals(0, files.count());
            }
        }
    }

    private static final String SIZE = "is not a size such as 4096, 20k, 1m or 5g";
    private static final String DURATION = "is not a duration such as 100ms, 1.5s or 2m";

    private static void refuses(Kit kit, String script, String option, String value, String why) throws Exception {
        fails(Exemplars.start(kit, script, option + "=" + value), 2,
                script + ": Invalid value for option '" + option + "': '" + value + "' " + why + " (see --help)");
    }

    @ParameterizedTest
    @MethodSource("senders")
    void senderUsage(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            for (String value : List.of("-1", "1x", "k", "1.5m", "0", "99999999999999g", "")) {
                refuses(kit, sender, "--size", value, SIZE);
            }
            refuses(kit, sender, "--chunk", "0", SIZE);
            refuses(kit, sender, "--sndbuf", "1t", SIZE);
            fails(Exemplars.start(kit, sender, "--size", "1", "--input", "-"), 2,
                    sender + ": --size excludes --input (see --help)");
            fails(Exemplars.start(kit, sender, "--input="), 2, sender + ": --input must name a file (see --help)");
            fails(Exemplars.start(kit, sender, "--socket="), 2,
                    sender + ": --socket must have 1 to 107 bytes:  (see --help)");
            fails(Exemplars.start(kit, sender, "--bogus"), 2, sender + ": Unknown option: '--bogus' (see --help)");
            fails(Exemplars.start(kit, sender, "--json"), 2, sender + ": Unknown option: '--json' (see --help)");
            Files.writeString(kit.dir.resolve("arguments"), "secret");
            fails(Exemplars.start(kit, sender, "@arguments"), 2,
                    sender + ": Unmatched argument at index 0: '@arguments' (see --help)");
        }
    }

    static List<String> patientSenders() throws Exception {
        return Exemplars.patientSenders();
    }

    @ParameterizedTest
    @MethodSource("patientSenders")
    void durations(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            for (String value : List.of("5", "-1s", "0s", "0.0s", "1h", "s", "1.5m", "")) {
                refuses(kit, sender, "--give-up", value, DURATION);
            }
            if (sender.equals("poll-sender")) {
                refuses(kit, sender, "--timeout", "0s", DURATION);
            } else {
                fails(Exemplars.start(kit, sender, "--timeout=1s"), 2,
                        sender + ": Unknown option: '--timeout=1s' (see --help)");
            }
        }
    }

    @Test
    void blockingSenderCannotGiveUp() throws Exception {
        try (Kit kit = new Kit()) {
            fails(kit.script("blocking-sender", "--give-up=1s"), 2,
                    "blocking-sender: Unknown option: '--give-up=1s' (see --help)");
        }
    }

    @Test
    void receiverUsage() throws Exception {
        try (Kit kit = new Kit()) {
            refuses(kit, "slow-receiver", "--read-size", "0", SIZE);
            refuses(kit, "slow-receiver", "--interval", "1", DURATION);
            for (String value : List.of("x", "-1", "1.5", "9999999999", "")) {
                refuses(kit, "slow-receiver", "--connections", value, "is not a number such as 0, 1 or 20");
            }
            fails(kit.script("slow-receiver", "--socket="), 2,
                    "slow-receiver: --socket must have 1 to 107 bytes:  (see --help)");
            fails(kit.script("slow-receiver", "@x"), 2,
                    "slow-receiver: Unmatched argument at index 0: '@x' (see --help)");
        }
    }

    /** 1 GiB does not fit the memory here: the path is looked at before, and no memory is one line as well. */
    @Test
    void pathIsLookedAtBeforeMemoryIsTaken() throws Exception {
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve("file"), "");
            fails(small(kit, "slow-receiver", "-s", "file", "--read-size", "1g"), 1,
                    "slow-receiver: file: exists and is not a socket; take another path");
            fails(small(kit, "poll-sender", "--chunk", "1g", "--size", "1g"), 1,
                    "poll-sender: slow_receiver.sock: No such file or directory" + NONE);
            Kit.Running receiver = small(kit, "slow-receiver", "--read-size", "1g");
            assertEquals(1, receiver.await());
            assertEquals(1, receiver.err().size());
            assertTrue(receiver.err().get(0).contains("1073741824 bytes"), () -> receiver.err().toString());
            assertFalse(Files.exists(kit.dir.resolve("slow_receiver.sock")));
        }
    }

    private static Kit.Running small(Kit kit, String script, String... args) throws Exception {
        List<String> command = kit.command(script, args);
        command.add(1, "-Xmx64m");
        return kit.run(command.toArray(String[]::new));
    }

    @ParameterizedTest
    @MethodSource("senders")
    void inputThatCannotBeRead(String sender) throws Exception {
        try (Kit kit = new Kit()) {
            Kit.Running receiver = kit.receiver();
            fails(Exemplars.start(kit, sender, "--input", "absent"), 1,
                    sender + ": absent (No such file or directory)" + NONE);
            fails(Exemplars.start(kit, sender, "--input", "/tmp"), 1, sender + ": /tmp (Is a directory)" + NONE);
            assertEquals(List.of(), receiver.out());
        }
    }

    @ParameterizedTest
    @MethodSource("scriptsOfThisJdk")
    void temporaryDirectoryThatCannotBeWritten(String script) throws Exception {
        try (Kit kit = new Kit()) {
            List<String> command = new ArrayList<>(kit.command(script));
            command.add(1, "-Djava.io.tmpdir=/proc/self");
            String message = script + ": /proc/self: not writable;"
                    + " name a place with -Dorg.newsclub.net.unix.library.tmpdir=DIR"
                    + (script.equals("slow-receiver") ? "" : NONE);
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
                Kit.Running running = Exemplars.start(kit, script, option);
                assertEquals(0, running.await());
                assertEquals(List.of(), running.err());
                assertTrue(running.out().stream().anyMatch(line -> line.contains(script)));
                assertTrue(running.out().stream().allMatch(line -> line.length() <= 80));
            }
        }
    }
}
