package stuck;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The unix-domain stream sockets of a machine at one moment, read from the lines of {@code ss -xaempOH}. */
public final class SocketTable {
    // A name may hold spaces: what follows it is found from the right. Other columns of -e and -m may come and go.
    private static final Pattern LINE = Pattern.compile("u_str\\s+(?<state>\\S+)\\s+(?<unread>\\d+)\\s+(?<limit>\\d+)"
            + "\\s+(?<name>.+) (?<inode>\\d+)\\s+\\S+ (?<peer>\\d+)\\s+(?:users:\\((?<users>.*)\\)\\s+)?"
            + "skmem:\\(r\\d+,rb\\d+,t(?<charged>\\d+),tb(?<buffer>\\d+)[^)]*\\)(?:\\s+(?<shut>[<-]-[->]))?"
            + "(?:\\s+ino:(?<file>\\d+) dev:(?<major>\\d+)/(?<minor>\\d+))?(?:\\s+peers:(?<connecting>[ \\d]*))?.*");
    private static final Pattern HOLDER = Pattern.compile("\\(\"(.{0,15}?)\",pid=(\\d+),fd=(\\d+)\\)");
    private static final Pattern OTHER_KINDS = Pattern.compile("(u_dgr|u_seq)\\s.*|\\s*");

    private final Map<Long, StreamSocket> sockets = new LinkedHashMap<>();
    private int skipped;

    /** Reads lines of ss; those that cannot be read are skipped and counted. */
    public static SocketTable read(Iterable<String> lines) {
        SocketTable table = new SocketTable();
        for (String line : lines) {
            Matcher found = LINE.matcher(line);
            if (found.matches()) {
                StreamSocket socket = socket(found);
                table.sockets.put(socket.inode(), socket);
            } else if (!OTHER_KINDS.matcher(line).matches()) {
                table.skipped++;
            }
        }
        return table;
    }

    private static StreamSocket socket(Matcher found) {
        String shut = found.group("shut") == null ? "<->" : found.group("shut");
        return new StreamSocket(found.group("state"), number(found, "inode"), number(found, "peer"),
                found.group("name").equals("*") ? null : found.group("name"),
                number(found, "unread"), number(found, "limit"), number(found, "charged"), number(found, "buffer"),
                shut.startsWith("-"), shut.endsWith("-"), holders(found.group("users")), number(found, "file"),
                device(number(found, "major"), number(found, "minor")), inodes(found.group("connecting")));
    }

    private static long number(Matcher found, String group) {
        return found.group(group) == null ? 0 : Long.parseLong(found.group(group));
    }

    private static List<Holder> holders(String users) {
        return users == null ? List.of() : HOLDER.matcher(users).results().map(holder -> new Holder(holder.group(1),
                Integer.parseInt(holder.group(2)), Integer.parseInt(holder.group(3)))).toList();
    }

    // ss takes the kernel's number, 12 bits of major and 20 of minor, for one that stat would give, and splits that.
    private static long device(long major, long minor) {
        long kernel = minor & 0xff | (major & 0xfff) << 8 | (minor & ~0xffL) << 12;
        return kernel >> 20 << 8 & 0xfff00 | kernel & 0xff | (kernel & 0xfff00) << 12;
    }

    private static List<Long> inodes(String text) {
        List<Long> inodes = new ArrayList<>();
        for (String inode : text == null ? new String[0] : text.trim().split("\\s+")) {
            if (!inode.isEmpty()) {
                inodes.add(Long.valueOf(inode));
            }
        }
        return inodes;
    }

    /** The socket with this inode, or null. */
    public StreamSocket get(long inode) {
        return sockets.get(inode);
    }

    /** All of them, in the order of ss. */
    public Collection<StreamSocket> all() {
        return sockets.values();
    }

    /** Lines that could not be read. */
    public int skipped() {
        return skipped;
    }
}
