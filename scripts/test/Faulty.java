import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Starts a faulty receiver and foreign writers in a kit, and reads its events. */
final class Faulty {
    private Faulty() {
    }

    /** Connects, and obeys one command a line: send N, recv, close; says what came of it. */
    private static final String PEER = """
            import errno, socket, sys
            s = socket.socket(socket.AF_UNIX)
            s.connect('s')
            s.settimeout(1)
            print('connected', flush=True)
            for line in sys.stdin:
                try:
                    command = line.split()
                    if command[0] == 'send':
                        left = int(command[1])
                        while left:
                            left -= s.send(bytes(left))
                        print('sent', flush=True)
                    elif command[0] == 'recv':
                        print(f'received {len(s.recv(100000))}', flush=True)
                    elif command[0] == 'close':
                        s.close()
                        print('closed', flush=True)
                except TimeoutError:
                    print(f'timeout {left}' if command[0] == 'send' else 'timeout', flush=True)
                except OSError as e:
                    print(errno.errorcode[e.errno], flush=True)
            """;

    static Kit.Running peer(Kit kit) throws Exception {
        Kit.Running peer = kit.python(PEER);
        peer.awaitOut("connected"::equals);
        return peer;
    }

    static String tell(Kit.Running peer, String command) throws Exception {
        int before = peer.out().size();
        peer.process.getOutputStream().write((command + "\n").getBytes());
        peer.process.getOutputStream().flush();
        peer.awaitOut(line -> peer.out().size() > before);
        return peer.out().get(before);
    }

    static Kit.Running receiver(Kit kit, String options) throws Exception {
        String pace = options.matches(".*--(interval|never-accept) .*") ? "" : "--interval 0s ";
        return kit.faultyReceiver(("--socket s --json " + pace + options).split(" +"));
    }

    static Path file(Kit kit, int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Files.write(kit.dir.resolve("sent"), bytes);
    }

    static Kit.Running socat(Kit kit) throws IOException {
        return kit.run("socat", "-u", "FILE:sent", "UNIX-CONNECT:s");
    }

    /** The names of the events from the first connection on. */
    static String story(Kit.Running receiver) {
        return receiver.out().stream().map(line -> line.replaceAll(".*\"event\":\"(\\w+)\".*", "$1"))
                .dropWhile(event -> !event.equals("connected")).collect(Collectors.joining(" "));
    }

    static List<Integer> bytes(Kit.Running receiver, String event) {
        return Kit.events(receiver, event).map(fields -> fields.get("bytes").getAsInt()).toList();
    }

    static List<Double> seconds(Kit.Running receiver, String event) {
        return Kit.events(receiver, event).map(fields -> fields.get("seconds").getAsDouble()).toList();
    }

    static double time(Kit.Running receiver, String event) throws Exception {
        return receiver.awaitEvent(event).get("time").getAsDouble();
    }

    static String end(Kit.Running receiver) throws Exception {
        return receiver.awaitEvent("closed").get("end").getAsString();
    }
}
