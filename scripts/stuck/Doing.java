package stuck;

/**
 * What a process does about one end of a connection, by the thread of it that tells most.
 *
 * @param holder null: no process is seen
 * @param tid the thread; that of the process where no thread tells more than another
 * @param phrase what it does, to follow "it" in a sentence
 * @param active it has been awake since the first look
 * @param woken it has been, and nothing but room for this descriptor ends its sleep (or a signal, or a timeout)
 */
public record Doing(Act act, Holder holder, int tid, String phrase, boolean active, boolean woken) {

    /** The name of the process, and of the thread where that is another. */
    public String who() {
        return holder == null ? "a process not seen here"
                : tid == holder.pid() ? holder.toString() : holder + " thread " + tid;
    }

    /** 0: none is seen. */
    public int pid() {
        return holder == null ? 0 : holder.pid();
    }
}
