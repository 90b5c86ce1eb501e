package stuck;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.List;
import java.util.Locale;
import stuck.Finding.End;

/** A finding as a JSON object on a line. */
public final class JsonLine {
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();

    private record Line(String name, String verdict, boolean stuck, String sentence, double seconds,
            List<Side> ends) { }

    // Absent where it cannot be seen, or a listening socket has none; read and written are at least so many bytes.
    private record Side(String command, Integer pid, Integer thread, Integer fd, long inode, boolean listens,
            long unread, Long charged, Long sendBuffer, String room, String doing, String phrase, long written,
            long read) { }

    private JsonLine() { }

    /** @param seconds between the first look and the last */
    public static String format(Finding finding, double seconds) {
        return GSON.toJson(new Line(finding.name(), finding.kind().name().toLowerCase(Locale.ROOT), finding.stuck(),
                finding.sentence(), Math.round(seconds * 1e3) / 1e3,
                finding.ends().stream().map(JsonLine::side).toList()));
    }

    private static Side side(End end) {
        StreamSocket socket = end.socket();
        Doing doing = end.doing();
        Holder holder = doing.holder();
        boolean connection = !socket.listens();
        boolean seen = holder != null;
        return new Side(seen ? holder.command() : null, seen ? (Integer) holder.pid() : null,
                seen ? (Integer) doing.tid() : null, seen ? (Integer) holder.fd() : null, socket.inode(),
                socket.listens(), socket.unread(), connection ? socket.charged() : null,
                connection ? socket.sendBuffer() : null,
                connection ? socket.room().name().toLowerCase(Locale.ROOT) : null,
                doing.act().name().toLowerCase(Locale.ROOT), doing.phrase(), end.change().written(),
                end.change().read());
    }
}
