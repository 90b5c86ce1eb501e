package stuck;

import java.util.List;

/**
 * One unix-domain stream socket as ss shows it.
 *
 * @param state ESTAB, LISTEN or UNCONN
 * @param inode of the socket; its name on this machine
 * @param peer inode of the other end; 0: closed, or not accepted yet
 * @param name the address: a path as it was bound, {@code @name} for an abstract one; null: none
 * @param unread bytes that this end has not read; of a listening socket the connects that wait to be accepted
 * @param limit of a listening socket: its backlog; one more than that may wait
 * @param charged bytes that the kernel charges this end for what the other has not read
 * @param sendBuffer bytes, as getsockopt reports SO_SNDBUF
 * @param inputShut this end is told of the end of its input, by its own shutdown or that of the other
 * @param outputShut a write fails with EPIPE
 * @param holders who has it open, as far as one may see
 * @param file inode of the file that it is bound to; 0: none
 * @param device of that file, as stat has it
 * @param connecting of a listening socket: inodes of those that wait to be accepted, the first first
 */
public record StreamSocket(String state, long inode, long peer, String name, long unread, long limit, long charged,
        long sendBuffer, boolean inputShut, boolean outputShut, List<Holder> holders, long file, long device,
        List<Long> connecting) {

    public boolean listens() {
        return state.equals("LISTEN");
    }

    /** The kernel's rule, unix_recvq_full: a connect waits when more wait already than the backlog says. */
    public boolean backlogFull() {
        return listens() && unread > limit;
    }

    public Room room() {
        return Room.of(charged, sendBuffer);
    }
}
