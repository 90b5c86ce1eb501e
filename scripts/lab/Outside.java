package lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What ss(8) shows of a sender's socket while it sends: the memory that the kernel has charged to it. */
final class Outside {
    private static final int CHANGES = 12;
    private static final int LOOK_MILLIS = 10;
    private static final String SENDER = "PollSender";

    private Outside() { }

    /** A row for each change: the charge, the limit, and the sender's last write when it was seen. */
    static Table look(String... receiverOptions) throws IOException, InterruptedException {
        List<List<String>> rows = new ArrayList<>();
        try (Bench bench = new Bench()) {
            Working.receiver(bench, receiverOptions);
            Process sender = bench.start(bench.dir, SENDER, List.of());
            String last = "";
            while (rows.size() < CHANGES && sender.isAlive()) {
                Matcher skmem = skmem(sender);
                if (skmem.find() && !skmem.group(1).equals(last)) {
                    last = skmem.group(1);
                    rows.add(List.of(String.valueOf(rows.size() + 1), bench.printed(SENDER, ".out").strip()
                            .replaceFirst("(?s).*\n", ""), last, skmem.group(2)));
                }
                Thread.sleep(LOOK_MILLIS);
            }
        }
        return new Table(List.of("", "last write", "charged (t)", "send buffer (tb)"), rows);
    }

    private static Matcher skmem(Process process) throws IOException {
        Process ss = new ProcessBuilder("ss", "-xmpnHO").start();
        String sockets = new String(ss.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        return Pattern.compile("pid=" + process.pid() + ",.*skmem:.*,t([1-9]\\d*),tb(\\d+)").matcher(sockets);
    }
}
