package stuck;

import java.util.List;
import java.util.Locale;
import stuck.Finding.End;
import stuck.Finding.Kind;

/** Says in one sentence a connection who waits for whom. */
final class Judge {
    private final Observer observer;
    private final Traffic traffic;
    private final double seconds;

    /** @param seconds between the first look and the last */
    Judge(Observer observer, Traffic traffic, double seconds) {
        this.observer = observer;
        this.traffic = traffic;
        this.seconds = seconds;
    }

    /** A connection of two ends; null: who holds it has vanished. */
    Finding connection(StreamSocket one, StreamSocket other) {
        boolean swap = one.charged() < other.charged();
        StreamSocket first = swap ? other : one;
        StreamSocket second = swap ? one : other;
        Direction there = direction(first, second, 0);
        Direction back = there == null ? null : direction(second, first, there.writer().pid());
        return back == null ? null : new Finding(kind(there, back), stuck(there, back), name(first, second),
                List.of(end(first, there.queued() ? there.writer() : back.reader()),
                        end(second, back.queued() && !there.queued() ? back.writer() : there.reader())),
                sentence(there, back));
    }

    private Direction direction(StreamSocket from, StreamSocket to, int reader) {
        Doing writing = observer.writing(from, 0);
        Doing reading = writing == null ? null : observer.reading(to, writing.pid());
        return reading == null ? null : new Direction(from, to, writing, reading, traffic.of(to));
    }

    private End end(StreamSocket socket, Doing doing) {
        return new End(socket, doing, traffic.of(socket));
    }

    private static String name(StreamSocket... ends) {
        for (StreamSocket end : ends) {
            if (end.name() != null) {
                return end.name();
            }
        }
        return "unnamed";
    }

    // The cases from the most to the least telling; there is the direction whose writer is charged more.
    private static Kind kind(Direction there, Direction back) {
        boolean both = there.stands() && back.stands() && there.room() != Room.OPEN && back.room() != Room.OPEN;
        Direction one = standing(there, back);
        return both && there.writer().act().waitsForRoom && back.writer().act().waitsForRoom ? Kind.DEADLOCK
                : both ? Kind.NEITHER_READS
                : one != null && one.shutDown() ? Kind.INPUT_SHUT_DOWN
                : one != null ? Kind.READER_DOES_NOT_READ
                : there.queued() || back.queued() || there.moves() || back.moves() ? Kind.FLOWS
                : forgetful(there, back) != null ? Kind.ROOM_NOT_ASKED_FOR : Kind.IDLE;
    }

    /** The direction that stands, rather one that is waited for. */
    private static Direction standing(Direction there, Direction back) {
        return there.stands() && (there.waitedFor() || !back.stands()) ? there : back.stands() ? back
                : there.stands() ? there : null;
    }

    /** The direction whose reader waits for input while its writer waits for input alone, with room to write. */
    private static Direction forgetful(Direction there, Direction back) {
        return asksForInputAlone(there) ? there : asksForInputAlone(back) ? back : null;
    }

    private static boolean asksForInputAlone(Direction way) {
        return way.writer().act() == Act.INPUT && way.room() == Room.OPEN && !way.from().outputShut()
                && (way.reader().act() == Act.READ || way.reader().act() == Act.INPUT);
    }

    private static boolean stuck(Direction there, Direction back) {
        Direction one = standing(there, back);
        return one != null && one.waitedFor();
    }

    private String sentence(Direction there, Direction back) {
        Direction one = standing(there, back);
        return switch (kind(there, back)) {
            case DEADLOCK -> "deadlock: " + does(there.writer()) + " and " + does(back.writer())
                    + "; neither reads what the other wrote";
            case NEITHER_READS -> "neither end reads: " + does(there.writer()) + "; " + does(back.writer());
            case INPUT_SHUT_DOWN -> does(one.writer()) + ", and poll will never tell: " + one.reader().who()
                    + " shut down its input with " + one.to().unread() + " bytes unread; a write would fail with EPIPE";
            case READER_DOES_NOT_READ -> reader(one);
            case FLOWS -> flows(there.moves() ? there : back);
            case ROOM_NOT_ASKED_FOR -> {
                Direction way = forgetful(there, back);
                yield "idle, or " + way.writer().who() + " forgot to ask for room after a refused write: it "
                        + way.writer().phrase() + " alone, there is room, and " + does(way.reader());
            }
            default -> "nothing is stuck: nothing is unread";
        };
    }

    private String reader(Direction way) {
        return (way.waitedFor() ? "" : "nobody is seen to wait, but ") + "the reader, " + way.reader().who()
                + String.format(Locale.ROOT, ", has read nothing for %.1f s: ", seconds)
                + (way.reader().holder() == null ? "what it does " : "it ") + way.reader().phrase() + "; "
                + way.room().meaning + ", and the writer, " + way.writer().who() + ", " + way.writer().phrase()
                + (way.from().outputShut() ? ", its output shut down by one of the two" : unasked(way.writer()));
    }

    private static String unasked(Doing writer) {
        return writer.act() == Act.INPUT ? " alone: it will not be told of room" : "";
    }

    private String flows(Direction way) {
        Traffic.Change change = way.change();
        return "nothing is stuck: " + (change.read() > 0 ? "the queue moves, at least " + perSecond(change.read())
                + " bytes a second are read" : change.written() > 0 ? "the queue grows, at least "
                + perSecond(change.written()) + " bytes a second are written"
                : "the queue looks the same, but both ends have been awake");
    }

    private String perSecond(long bytes) {
        return String.format(Locale.ROOT, "%.0f", bytes / seconds);
    }

    private static String does(Doing doing) {
        return doing.who() + ' ' + doing.phrase();
    }

    /** One whose other end has closed. */
    Finding leftOver(StreamSocket socket) {
        Doing reader = observer.reading(socket, 0);
        return reader == null ? null : new Finding(Kind.LEFT_OVER, false, name(socket), List.of(end(socket, reader)),
                "nothing is stuck: the other end has closed, and " + reader.who() + " has not read the last "
                        + socket.unread() + " bytes");
    }

    /** One that the listener has not accepted yet. */
    Finding notAccepted(StreamSocket socket, StreamSocket listener) {
        Doing writer = observer.writing(socket, 0);
        Doing acceptor = writer == null ? null : observer.reading(listener, writer.pid());
        if (acceptor == null) {
            return null;
        }
        boolean waits = writer.act().waitsForRoom || writer.act() == Act.READ || socket.room() == Room.FULL;
        return new Finding(Kind.NOT_ACCEPTED, waits, name(listener),
                List.of(end(socket, writer), end(listener, acceptor)), "not accepted yet: " + acceptor.who()
                + " should accept, but " + acceptor.phrase() + "; " + socket.room().meaning + ", " + does(writer)
                + unasked(writer));
    }

    /** A listening socket whose backlog is full. */
    Finding backlog(StreamSocket listener, List<Connecting.Thread> waiting, boolean moves) {
        Doing acceptor = observer.reading(listener, 0);
        return acceptor == null ? null : new Finding(Kind.BACKLOG_FULL, !moves, name(listener),
                List.of(end(listener, acceptor)), (moves ? "nothing is stuck, connects are accepted: "
                : "connects wait: ") + listener.unread() + " are not accepted, a backlog of " + listener.limit()
                + " takes no more; " + acceptor.who() + " should accept, but " + acceptor.phrase()
                + Connecting.sentence(waiting));
    }
}
