import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import kernel.Architecture;
import kernel.KernelModel;
import kernel.Machine;
import kernel.Observer;
import kernel.Settings;
import kernel.Strategy;

/**
 * One run of a file of recorded runs, on its machine.
 *
 * @param asleep whether the writer really slept in poll or write, else all is done in one thread
 * @param sndbuf as getsockopt reported it
 * @param writes in the notation of the file, {@code reads-done-before-it:bytes[xcount]}
 */
record Recorded(Machine machine, boolean asleep, Setting setting, long sndbuf, long reads, String writes) {
    /** A sender and a receiver in one thread: they write while the strategy lets them, then read once, and so on. */
    record Setting(Strategy strategy, Long sndbuf, long size, long chunk, long readSize) {
        /** The bytes of each call in order: writes positive, refused ones 0, reads negative. */
        List<Long> run(Connection connection, int maxCalls) throws IOException {
            List<Long> calls = new ArrayList<>();
            long left = 0;
            long unsent = size;
            for (long unread = size; unread > 0 && calls.size() < maxCalls;) {
                while (unsent > 0 && (strategy == Strategy.NONBLOCKING || connection.writable())) {
                    left = left == 0 ? Math.min(chunk, unsent) : left;
                    long sent = connection.write(left);
                    calls.add(sent);
                    left -= sent;
                    unsent -= sent;
                    if (sent == 0) {
                        break;
                    }
                }
                long read = connection.read(readSize);
                calls.add(-read);
                unread -= read;
            }
            return calls;
        }

        Settings on(Machine machine) {
            return Settings.on(machine).withSndbuf(sndbuf).withSize(size).withChunk(chunk).withReadSize(readSize);
        }
    }

    /** What the one thread writes to and reads from: the kernel, or the model of it. */
    interface Connection {
        boolean writable() throws IOException;

        long write(long bytes) throws IOException;

        long read(long bytes) throws IOException;
    }

    record ModelConnection(KernelModel model) implements Connection {
        @Override
        public boolean writable() {
            return model.writable();
        }

        @Override
        public long write(long bytes) {
            return model.sendmsg(bytes);
        }

        @Override
        public long read(long bytes) {
            return model.recvmsg(bytes);
        }
    }

    /** Keeps the calls that it hears of, in the numbers of {@link Setting#run}. */
    static class Calls implements Observer {
        final List<Long> calls = new ArrayList<>();

        @Override
        public void wrote(long time, long bytes) {
            calls.add(bytes);
        }

        @Override
        public void received(long time, long bytes) {
            calls.add(-bytes);
        }

        List<Long> writes() {
            return calls.stream().filter(bytes -> bytes > 0).toList();
        }
    }

    /** The same run with other reads and writes. */
    Recorded with(List<Long> calls) {
        long reads = 0;
        List<String> writes = new ArrayList<>();
        String last = "";
        int times = 1;
        for (long bytes : calls) {
            String write = reads + ":" + bytes;
            if (bytes < 0) {
                reads++;
            } else if (bytes > 0 && write.equals(last)) {
                times++;
                writes.set(writes.size() - 1, write + "x" + times);
            } else if (bytes > 0) {
                times = 1;
                last = write;
                writes.add(write);
            }
        }
        return new Recorded(machine, asleep, setting, sndbuf, reads, String.join(" ", writes));
    }

    /** Those of Linux 6.18 on x86-64 with 4 KiB pages. */
    static List<Recorded> here() throws IOException {
        Machine machine = Machine.of(Architecture.X86_64).with(null, null, 4194304L);
        return rows("/kernel-patterns.tsv").map(row -> parse(machine, row)).toList();
    }

    /** Those of other kernels and architectures. */
    static List<Recorded> elsewhere() throws IOException {
        return rows("/kernel-patterns-elsewhere.tsv").map(row -> parse(new Machine(Architecture.of(row[1]), row[0],
                Long.parseLong(row[2]), Long.parseLong(row[3]), Long.parseLong(row[4])),
                Arrays.copyOfRange(row, 5, row.length))).toList();
    }

    private static Stream<String[]> rows(String file) throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Recorded.class.getResourceAsStream(file), StandardCharsets.UTF_8))) {
            return lines.lines().skip(1).map(line -> line.split("\t")).toList().stream();
        }
    }

    private static Recorded parse(Machine machine, String[] fields) {
        String[] strategy = fields[0].split("-");
        Setting setting = new Setting(Strategy.valueOf(strategy[0].toUpperCase()),
                fields[1].equals("default") ? null : Long.valueOf(fields[1]),
                Long.parseLong(fields[3]), Long.parseLong(fields[4]), Long.parseLong(fields[5]));
        return new Recorded(machine, strategy.length == 2, setting, Long.parseLong(fields[2]),
                Long.parseLong(fields[6]), fields[7]);
    }
}
