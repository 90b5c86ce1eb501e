package stuck;

/** What the kernel lets a writer do, from what it charges the socket and its send buffer. */
public enum Room {
    FULL("full", "the queue is full"),
    UNREPORTED("no poll", "a write would be accepted, but poll does not report it"),
    OPEN("open", "there is room");

    /** A word for the table. */
    public final String word;
    /** The same as a part of a sentence. */
    public final String meaning;

    Room(String word, String meaning) {
        this.word = word;
        this.meaning = meaning;
    }

    /** sock_alloc_send_pskb admits while less is charged than the buffer; unix_writable wants three quarters free. */
    public static Room of(long charged, long sendBuffer) {
        return charged >= sendBuffer ? FULL : (charged + 1) * 4 > sendBuffer ? UNREPORTED : OPEN;
    }
}
