package stuck;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the threads that sleep in connect, which is no descriptor of the listening socket and so not in ss. */
final class Connecting {
    private static final int FAMILY_BYTES = 2; // before the path in a sockaddr_un
    private static final int MOST_ADDRESS_BYTES = 110;

    /** @param address as ss would name it; null: it cannot be seen */
    record Thread(Holder holder, String address) { }

    private final Proc proc;
    private List<Thread> all;

    Connecting(Proc proc) {
        this.proc = proc;
    }

    /** Those that wait for this socket, and those of whom the address cannot be seen. Walks all threads once. */
    List<Thread> to(StreamSocket listener) {
        if (all == null) {
            all = find();
        }
        return all.stream().filter(thread -> thread.address() == null || leadsTo(thread, listener)).toList();
    }

    private List<Thread> find() {
        List<Thread> found = new ArrayList<>();
        for (int pid : proc.processes()) {
            for (Task task : proc.tasks(pid)) {
                if (task.call() == Call.CONNECT && !task.stopped() && !task.running()) {
                    found.add(new Thread(new Holder(proc.command(pid), pid, task.descriptor()), address(task)));
                }
            }
        }
        return found;
    }

    private String address(Task task) {
        int bytes = task.arguments() == null ? 0 : (int) Math.min(MOST_ADDRESS_BYTES, task.arguments()[2]);
        ByteBuffer address = bytes <= FAMILY_BYTES ? null : proc.memory(task.pid(), task.arguments()[1], bytes);
        if (address == null) {
            return null;
        }
        String name = StandardCharsets.UTF_8.decode(address.position(FAMILY_BYTES)).toString();
        int end = name.indexOf(0, 1);
        return name.startsWith("\0") ? name.replace('\0', '@') : end < 0 ? name : name.substring(0, end);
    }

    private boolean leadsTo(Thread thread, StreamSocket listener) {
        if (thread.address().equals(listener.name()) || thread.address().startsWith("@")) {
            return thread.address().equals(listener.name());
        }
        try {
            return Selection.sameFile(listener,
                    proc.workingDirectory(thread.holder().pid()).resolve(Path.of(thread.address())));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** Who they are, as the end of a sentence. */
    static String sentence(List<Thread> waiting) {
        return waiting.isEmpty() ? "" : waiting.stream().map(thread -> thread.holder()
                + (thread.address() == null ? " (where to cannot be seen)" : ""))
                .collect(Collectors.joining(", ", "; in connect: ", ""));
    }
}
