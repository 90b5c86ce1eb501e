package stuck;

/**
 * One direction of a connection.
 *
 * @param from the writer's end, which is charged
 * @param to the reader's end, which has it unread
 */
record Direction(StreamSocket from, StreamSocket to, Doing writer, Doing reader, Traffic.Change change) {

    boolean queued() {
        return to.unread() > 0;
    }

    Room room() {
        return from.room();
    }

    /**
     * Whether the queue moves. One that is read and filled at once looks the same at every look; then a writer that was
     * woken tells, if the reader was awake too. A reader that is itself about to write does not read.
     */
    boolean moves() {
        return change.moved() || reader.active() && !reader.act().waitsForRoom && writer.woken();
    }

    /** Whether someone waits, so that it matters that nothing is read. */
    boolean waitedFor() {
        return room() != Room.OPEN || writer.act().waitsForRoom || writer.act() == Act.READ
                || reader.act() == Act.STOPPED;
    }

    boolean stands() {
        return queued() && !moves();
    }

    /** The writer would go on if it were told of room, and will not be. */
    boolean shutDown() {
        return to.inputShut() && from.outputShut() && room() != Room.OPEN && writer.act() == Act.ROOM;
    }
}
