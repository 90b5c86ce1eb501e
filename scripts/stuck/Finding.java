package stuck;

import java.util.List;

/**
 * What is the matter with a connection or a listening socket.
 *
 * @param name the address, or "unnamed"
 * @param ends two of a connection, the one that is charged more first; one of a listening socket, or of a connection
 *         whose other end has closed or is not accepted yet
 * @param sentence who must act, for people
 */
public record Finding(Kind kind, boolean stuck, String name, List<End> ends, String sentence) {

    /** The kinds of verdicts, as they stand in JSON in small letters. */
    public enum Kind { DEADLOCK, NEITHER_READS, READER_DOES_NOT_READ, INPUT_SHUT_DOWN, NOT_ACCEPTED, BACKLOG_FULL,
        ROOM_NOT_ASKED_FOR, FLOWS, LEFT_OVER, IDLE }

    /**
     * One end.
     *
     * @param doing what its process does
     * @param change what happened to what it reads from
     */
    public record End(StreamSocket socket, Doing doing, Traffic.Change change) { }
}
