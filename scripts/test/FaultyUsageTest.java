import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The command line of the faulty receiver: every mistake is one line that says what is accepted. */
class FaultyUsageTest {
    @Test
    void senselessOptionsAreRefused() throws Exception {
        String end = "one fault can end a connection: --stall-after without --resume-after, --close-after,"
                + " --shutdown-input-after or --restart-after";
        String exclude = "--stall-after, --stall-every and --stall-period exclude each other";
        Map<String, String> problems = Map.ofEntries(
                Map.entry("--resume-after 1s", "--resume-after needs --stall-after, --stall-every or --stall-period"),
                Map.entry("--stall-every 1k", "--stall-every and --stall-period need --resume-after"),
                Map.entry("--stall-period 1s", "--stall-every and --stall-period need --resume-after"),
                Map.entry("--stall-every 1k --stall-period 1s --resume-after 1s", exclude),
                Map.entry("--stall-every 1k --stall-after 1k --resume-after 1s", exclude),
                Map.entry("--stall-every 0 --resume-after 1s", "--stall-every must be at least 1"),
                Map.entry("--stall-period 0s --resume-after 1s", "--stall-period must be longer than 0s"),
                Map.entry("--stall-every 2k --resume-after 1s --close-after 1k",
                        "--stall-every is never reached, as the connection ends before"),
                Map.entry("--socket=", "--socket must not be empty"),
                Map.entry("--output=", "--output must not be empty"),
                Map.entry("--connections x", "Invalid value for option '--connections':"
                        + " 'x' is not a whole number from 0 to 999999999"),
                Map.entry("--seed 1.5 --jitter 1s", "Invalid value for option '--seed':"
                        + " '1.5' is not a whole number from 0 to 999999999"),
                Map.entry("--stall-after=", "Invalid value for option '--stall-after':"
                        + " '' is not a size such as 4096, 20k, 1m or 5g"),
                Map.entry("--mode 999", "Invalid value for option '--mode': '999' is not a mode such as 600 or 660"),
                Map.entry("--read-size 0", "Invalid value for option '--read-size': '0' is not between 1 and 2047m"),
                Map.entry("--read-size 2047m --parallel 999999999", "--parallel, --read-size: not enough memory for"
                        + " 999999999 connections at once with buffers of 2146435072 bytes"),
                Map.entry("@file", "Unmatched argument at index 0: '@file'"),
                Map.entry("--seed 1", "--seed needs --jitter"),
                Map.entry("--down 1s", "--down needs --restart-after"),
                Map.entry("--restart-after 1 --connections 1",
                        "--restart-after needs --connections of 2 or more, or 0, to come back for"),
                Map.entry("--parallel 2 --output x",
                        "--parallel does not go with --output, which would mix the connections"),
                Map.entry("--parallel 0", "--parallel must be at least 1"),
                Map.entry("--backlog 0", "--backlog must be at least 1"),
                Map.entry("--connections -1", "Invalid value for option '--connections':"
                        + " '-1' is not a whole number from 0 to 999999999"),
                Map.entry("--never-accept --echo", "--echo does not go with --never-accept"),
                Map.entry("--connections 1 --never-accept", "--connections does not go with --never-accept"),
                Map.entry("--stall-after 1k --close-after 2k", end),
                Map.entry("--close-after 1k --shutdown-input-after 1k", end),
                Map.entry("--restart-after 1k --close-after 2k", end),
                Map.entry("--stall-after 1k --restart-after 1k", end),
                Map.entry("--stall-after 2k --resume-after 1s --close-after 1k",
                        "--stall-after is never reached, as the connection ends before"),
                Map.entry("--expect-crc32c 123", "Invalid value for option '--expect-crc32c':"
                        + " '123' is not 8 hexadecimal digits such as dc3e0071"),
                Map.entry("--stall-after 1x",
                        "Invalid value for option '--stall-after': '1x' is not a size such as 4096, 20k, 1m or 5g"),
                Map.entry("--down 5 --restart-after 1",
                        "Invalid value for option '--down': '5' is not a duration such as 100ms, 1s, 1.5s or 2m"),
                Map.entry("--nonsense", "Unknown option: '--nonsense'"));
        try (Kit kit = new Kit()) {
            Files.writeString(kit.dir.resolve("file"), "--echo");
            Map<String, Kit.Running> receivers = new TreeMap<>();
            for (String options : problems.keySet()) {
                receivers.put(options, kit.script("faulty-receiver", options.split(" ")));
            }
            for (String options : problems.keySet()) {
                Kit.Running receiver = receivers.get(options);
                assertEquals(2, receiver.await(), options);
                assertEquals(List.of("faulty-receiver: " + problems.get(options) + " (see --help)"), receiver.err());
                assertEquals(List.of(), receiver.out());
            }
            assertEquals(List.of("file"), List.of(kit.dir.toFile().list()));
        }
    }

    /** The path is looked at before memory is taken for buffers, which are none where nobody connects. */
    @Test
    void pathIsLookedAtFirst() throws Exception {
        try (Kit kit = new Kit()) {
            Map<String, String> problems = Map.of(
                    "-s no/s", "no/s: its directory does not exist",
                    "-s " + "x".repeat(108), "--socket must not be longer than 107 bytes: " + "x".repeat(108)
                            + " (see --help)",
                    "--output .", ".: is a directory",
                    "--output no/x", "no/x: cannot be written to");
            for (Map.Entry<String, String> problem : problems.entrySet()) {
                List<String> command = new ArrayList<>(kit.command("faulty-receiver", "-r", "64m"));
                command.addAll(List.of(problem.getKey().split(" ")));
                command.addAll(1, List.of("-Xmx70m", "-XX:MaxDirectMemorySize=1m"));
                Kit.Running receiver = kit.run(command.toArray(String[]::new));
                assertEquals(problem.getKey().contains("xx") ? 2 : 1, receiver.await());
                assertEquals(List.of("faulty-receiver: " + problem.getValue()), receiver.err());
            }
        }
    }

    /** In the POSIX locale the JDK can neither take such a name nor find its way in a directory that has one. */
    @Test
    void namesOutsideTheLocale() throws Exception {
        String name = "$(printf '\\303\\251')";
        Map<String, String> problems = Map.of(
                "exec \"$@\" --output " + name, "faulty-receiver: Invalid value for option '--output':"
                        + " '\\S+' is outside the locale; set LC_ALL=C.UTF-8 \\(see --help\\)",
                "exec \"$@\" --socket " + name, "faulty-receiver: Invalid value for option '--socket':"
                        + " '\\S+' is outside the locale; set LC_ALL=C.UTF-8 \\(see --help\\)",
                "mkdir " + name + " && cd " + name + " && exec \"$@\"", "faulty-receiver: slow_receiver.sock:"
                        + " the working directory's name is outside the locale; set LC_ALL=C.UTF-8");
        try (Kit kit = new Kit()) {
            for (Map.Entry<String, String> problem : problems.entrySet()) {
                List<String> command = new ArrayList<>(List.of("sh", "-c", problem.getKey(), "sh"));
                command.addAll(kit.command("faulty-receiver"));
                Kit.Running receiver = kit.run(Map.of("LC_ALL", "C"), command.toArray(String[]::new));
                assertEquals(problem.getKey().startsWith("mkdir") ? 1 : 2, receiver.await(), problem.getKey());
                assertEquals(1, receiver.err().size(), () -> receiver.err().toString());
                assertTrue(receiver.err().get(0).matches(problem.getValue()), receiver.err().get(0));
            }
        }
    }

    /** What both receivers have, both describe in the same words. */
    @Test
    void helpIsThatOfTheSlowReceiver() throws Exception {
        try (Kit kit = new Kit()) {
            Map<String, String> faulty = help(kit, "faulty-receiver");
            Map<String, String> slow = help(kit, "slow-receiver");
            assertTrue(slow.size() >= 4, slow::toString);
            for (Map.Entry<String, String> option : slow.entrySet()) {
                assertEquals(option.getValue(), faulty.get(option.getKey()));
            }
        }
    }

    /** What is said of each option, by its name and parameter. */
    private static Map<String, String> help(Kit kit, String script) throws Exception {
        Kit.Running help = kit.script(script, "--help");
        assertEquals(0, help.await());
        Map<String, String> options = new TreeMap<>();
        String option = null;
        for (String line : help.out()) {
            assertTrue(line.length() <= 80, line);
            if (line.matches("  (-.,|   ) --.*")) {
                option = line.strip().split("  ")[0];
            }
            if (option != null) {
                options.merge(option, line.replace(option, "").strip(), (text, more) -> text + ' ' + more);
            }
        }
        return options;
    }

    @Test
    void helpThatCannotBeWritten() throws Exception {
        try (Kit kit = new Kit()) {
            List<String> command = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));
            command.addAll(kit.command("faulty-receiver", "--help"));
            Kit.Running receiver = kit.run(command.toArray(String[]::new));
            assertEquals(1, receiver.await());
            assertEquals(List.of("faulty-receiver: standard output: cannot be written to"), receiver.err());
        }
    }
}
