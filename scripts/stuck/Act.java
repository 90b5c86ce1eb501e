package stuck;

/** What a thread does about one descriptor. */
public enum Act {
    WRITE("in write", true),
    ROOM("polls for room", true),
    SPIN("spins", false),
    WRITE_UNSEEN("in some write", false),
    STOPPED("stopped", false),
    READ("in read", false),
    READ_UNSEEN("in some read", false),
    INPUT("polls for input", false),
    POLL_UNSEEN("in poll", false),
    BUSY("busy", false),
    POLL_OTHERS("polls others", false),
    ELSEWHERE("elsewhere", false),
    UNKNOWN("unknown", false),
    NOBODY("no process", false);

    /** For the table, at most 15 characters. */
    public final String words;
    /** It sleeps until it can write to this descriptor. */
    public final boolean waitsForRoom;

    Act(String words, boolean waitsForRoom) {
        this.words = words;
        this.waitsForRoom = waitsForRoom;
    }
}
