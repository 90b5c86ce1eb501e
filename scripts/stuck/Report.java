package stuck;

import java.util.List;
import java.util.Locale;
import stuck.Finding.End;

/** What was found as text, in 80 columns: a line an end, then the sentence. */
public final class Report {
    private static final int WIDTH = 80;
    private static final String INDENT = "  ";
    private static final String ROW = "%-15s %7s %5s %8s %8s %8s %-7s %s\n";

    private Report() { }

    /** @param changes also say what has changed since the last look, so many seconds ago */
    public static String format(List<Finding> findings, boolean changes, double seconds) {
        StringBuilder text = new StringBuilder();
        if (!findings.isEmpty()) {
            text.append(row("PROCESS", "PID", "FD", "UNREAD", "CHARGED", "SNDBUF", "ROOM", "DOING"));
        }
        for (Finding finding : findings) {
            finding.ends().forEach(end -> text.append(row(end)));
            text.append(wrap((finding.stuck() ? "STUCK " : "") + finding.name() + ": " + finding.sentence()));
            if (changes) {
                text.append(wrap(changes(finding, seconds)));
            }
        }
        long stuck = findings.stream().filter(Finding::stuck).count();
        return text.append(stuck).append(" stuck of ").append(findings.size()).append(findings.size() == 1
                ? " connection" : " connections").append(" looked at\n").toString();
    }

    private static String row(End end) {
        StreamSocket socket = end.socket();
        Holder holder = end.doing().holder();
        return row(holder == null ? "?" : holder.command(), holder == null ? "?" : holder.pid(),
                holder == null ? "?" : holder.fd(), bytes(socket.unread()),
                socket.listens() ? "-" : bytes(socket.charged()),
                socket.listens() ? "-" : bytes(socket.sendBuffer()), socket.listens() ? "listens" : socket.room().word,
                end.doing().act().words);
    }

    private static String row(Object... cells) {
        return printable(String.format(Locale.ROOT, ROW, cells));
    }

    private static String bytes(long bytes) {
        return bytes < 100_000_000 ? Long.toString(bytes) : (bytes >> 20) + "m";
    }

    // The names of processes and sockets are anybody's, and may hold what a terminal obeys.
    private static String printable(String text) {
        return text.replaceAll("[\\p{Cntrl}&&[^\n]]", "?");
    }

    private static String changes(Finding finding, double seconds) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "in %.1f s", seconds));
        for (End end : finding.ends()) {
            if (!end.socket().listens()) {
                text.append(String.format(Locale.ROOT, "; %s was sent %d bytes and read %d", end.doing().who(),
                        end.change().written(), end.change().read()));
            }
        }
        return text.append(", at least").toString();
    }

    /** Words in lines that fit; a word that is longer than a line has one of its own. */
    static String wrap(String sentence) {
        StringBuilder text = new StringBuilder();
        int column = 0;
        for (String word : printable(sentence).replace('\n', '?').split(" ")) {
            boolean fits = column > 0 && column + 1 + word.length() <= WIDTH;
            text.append(fits ? " " : column > 0 ? "\n" + INDENT : INDENT).append(word);
            column = fits ? column + 1 + word.length() : INDENT.length() + word.length();
        }
        return text.append('\n').toString();
    }
}
