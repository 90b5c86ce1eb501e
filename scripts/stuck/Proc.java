package stuck;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads /proc, which stops no process and changes nothing. What has vanished, or may not be seen, is left out. */
public final class Proc {
    private static final Pattern SLEEPS = Pattern.compile("(?m)^voluntary_ctxt_switches:\\s+(\\d+)");

    private final Path root;
    private final Call.Numbers numbers;

    /** @param root /proc, or a copy */
    public Proc(Path root, Call.Numbers numbers) {
        this.root = root;
        this.numbers = numbers;
    }

    /** The numbers of all processes. */
    public List<Integer> processes() {
        return numbers(root);
    }

    /** The threads of a process; empty: it has ended. */
    public List<Task> tasks(int pid) {
        List<Task> tasks = new ArrayList<>();
        for (int tid : numbers(task(pid))) {
            try {
                tasks.add(task(pid, tid));
            } catch (IOException | IndexOutOfBoundsException e) {
                continue; // it has ended meanwhile
            }
        }
        return tasks;
    }

    private Path task(int pid) {
        return root.resolve(pid + "/task");
    }

    private static List<Integer> numbers(Path directory) {
        List<Integer> numbers = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "[0-9]*")) {
            entries.forEach(entry -> numbers.add(Integer.valueOf(entry.getFileName().toString())));
        } catch (IOException e) {
            return List.of();
        }
        return numbers;
    }

    private Task task(int pid, int tid) throws IOException {
        Path directory = task(pid).resolve(Integer.toString(tid));
        String stat = read(directory.resolve("stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" "); // a command may hold both
        String wchan = readIfAllowed(directory.resolve("wchan"));
        String[] syscall = readIfAllowed(directory.resolve("syscall")).strip().split(" ");
        long[] arguments = syscall.length < 9 ? null : arguments(syscall);
        Call call = arguments == null ? Call.OTHER : Call.numbered(numbers, Long.parseLong(syscall[0]));
        if (call == Call.OTHER) {
            arguments = null; // the first of another call is no descriptor
            call = Call.sleepingIn(wchan);
        }
        Matcher sleeps = SLEEPS.matcher(read(directory.resolve("status")));
        return new Task(pid, tid, fields[0].charAt(0), call, arguments, wchan, Long.parseLong(fields[11]),
                Long.parseLong(fields[12]), sleeps.find() ? Long.parseLong(sleeps.group(1)) : 0);
    }

    private static long[] arguments(String[] syscall) {
        long[] arguments = new long[6];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = Long.parseUnsignedLong(syscall[i + 1].substring(2), 16);
        }
        return arguments;
    }

    /** The lines of /proc/PID/fdinfo/FD; empty: they cannot be seen. */
    public List<String> descriptor(int pid, int fd) {
        return readIfAllowed(root.resolve(pid + "/fdinfo/" + fd)).lines().toList();
    }

    /** Bytes of a process's memory, in this machine's order; null: they cannot be read. It goes on meanwhile. */
    public ByteBuffer memory(int pid, long address, int bytes) {
        byte[] copy = new byte[bytes];
        try (RandomAccessFile memory = new RandomAccessFile(root.resolve(pid + "/mem").toFile(), "r")) {
            memory.seek(address);
            memory.readFully(copy);
            return ByteBuffer.wrap(copy).order(ByteOrder.nativeOrder());
        } catch (IOException e) {
            return null;
        }
    }

    /** The command of a process as ss names it; null: it has ended. */
    public String command(int pid) {
        String command = readIfAllowed(root.resolve(pid + "/comm")).strip();
        return command.isEmpty() ? null : command;
    }

    /** The directory that a process's relative paths start from; what cannot be seen gives a path that is not there. */
    public Path workingDirectory(int pid) {
        return root.resolve(pid + "/cwd");
    }

    private static String readIfAllowed(Path file) {
        try {
            return read(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static String read(Path file) throws IOException {
        try (InputStream in = new FileInputStream(file.toFile())) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
