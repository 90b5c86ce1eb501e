package stuck;

/** A process that has a socket open, as ss names it: at most 15 bytes of its command, and the descriptor. */
public record Holder(String command, int pid, int fd) {
    @Override
    public String toString() {
        return command + ' ' + pid;
    }
}
