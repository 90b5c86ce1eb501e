package stuck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Which connections are asked for: those of processes, those of an address, or all that have something unread. */
public final class Selection {
    private final Set<Integer> pids;
    private final List<String> addresses;

    /** @param addresses paths as they were bound or as seen from here, and {@code @name} for abstract ones */
    public Selection(Set<Integer> pids, List<String> addresses) {
        this.pids = pids;
        this.addresses = addresses;
    }

    /** Refuses processes that are not there or not to be seen, and addresses that no socket has. */
    void check(SocketTable sockets) throws CannotLook {
        for (int pid : pids) {
            Path descriptors = Path.of("/proc/" + pid + "/fd");
            if (!Files.exists(descriptors)) {
                throw new CannotLook("--pid: " + pid + ": no such process");
            }
            if (!Files.isReadable(descriptors)) {
                throw new CannotLook("--pid: " + pid + ": not your process; try as root");
            }
        }
        for (String address : addresses) {
            if (sockets.all().stream().noneMatch(socket -> isAt(socket, address))) {
                throw new CannotLook("--socket: " + address + ": no stream socket has this address; ss -xl lists them");
            }
        }
    }

    /** Whether a connection is to be judged. @param other null: closed, or not accepted yet */
    public boolean wants(StreamSocket one, StreamSocket other) {
        if (pids.isEmpty() && addresses.isEmpty()) {
            return one.unread() > 0 || (other == null ? one.charged() > 0 : other.unread() > 0);
        }
        return names(one) || other != null && names(other);
    }

    /** Whether a listening socket is to be judged. */
    public boolean wants(StreamSocket listener) {
        return pids.isEmpty() && addresses.isEmpty() || names(listener);
    }

    boolean has(Holder holder) {
        return pids.contains(holder.pid());
    }

    boolean names(StreamSocket socket) {
        return socket.holders().stream().anyMatch(this::has)
                || addresses.stream().anyMatch(address -> isAt(socket, address));
    }

    private static boolean isAt(StreamSocket socket, String address) {
        if (socket.name() == null || address.startsWith("@")) {
            return address.equals(socket.name());
        }
        try {
            // A name that is relative is that of another directory as well: where there is a file, it decides.
            Path path = Path.of(address);
            return socket.file() != 0 && Files.exists(path) ? sameFile(socket, path)
                    : address.equals(socket.name()) || path.toAbsolutePath().toString().equals(socket.name());
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /**
     * Whether a path leads to the file that a socket is bound to, by whatever name. Where the file system has another
     * device for stat than for the kernel, as overlayfs has, the inode and the last name tell.
     */
    static boolean sameFile(StreamSocket socket, Path path) {
        try {
            return socket.file() != 0 && socket.file() == (Long) Files.getAttribute(path, "unix:ino")
                    && (socket.device() == (Long) Files.getAttribute(path, "unix:dev")
                    || socket.name().endsWith(path.getFileName().toString()));
        } catch (IOException e) {
            return false;
        }
    }
}
