package kernel;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The arithmetic behind the figures, in words. */
public final class Explanation {
    private final Settings settings;
    private final KernelModel socket;
    /** By the name of the step, in order. */
    private final Map<String, String> steps = new LinkedHashMap<>();

    private Explanation(Settings settings) {
        this.settings = settings;
        socket = new KernelModel(settings.machine(), settings.sndbuf());
    }

    /** Each step by its name, in order, in a sentence without line breaks; at the end what each strategy does. */
    public static Map<String, String> of(Settings settings, Collection<Prediction> runs)
            throws UnpredictableException {
        Explanation explanation = new Explanation(settings);
        explanation.cutAndCharge();
        explanation.faults();
        long filled = explanation.fill();
        for (Prediction run : runs) {
            explanation.strategy(run, filled);
        }
        return explanation.steps;
    }

    private void cutAndCharge() {
        Architecture architecture = settings.machine().architecture();
        steps.put("send buffer", count(socket.sndbuf(), "byte") + ", " + origin());
        long write = settings.size() == 0 ? settings.chunk() : Math.min(settings.chunk(), settings.size());
        long skb = socket.skbSize(write);
        long rest = write % skb;
        steps.put("cut", "a write of " + count(write, "byte") + " becomes " + count(write / skb, "skb") + " of " + skb
                + (rest == 0 ? "" : " and one of " + rest) + "; an skb takes at most half the send buffer less 64, "
                + (socket.sndbuf() / 2 - 64) + ", and at most " + (socket.maxHead() + socket.maxFrags()) + ": "
                + socket.maxHead() + " in its head (a page of " + settings.machine().pageSize() + " less "
                + architecture.shinfo + " for skb_shared_info) and " + socket.maxFrags() + " in pages of its own");
        long pages = socket.pageAlign(socket.dataLen(skb));
        long head = socket.truesize(skb) - architecture.skBuff - pages;
        steps.put("charge", "an skb of " + count(skb, "byte") + " is charged " + socket.truesize(skb) + ": " + head
                + " for its head, " + architecture.skBuff + " for struct sk_buff"
                + (pages == 0 ? "" : ", " + pages + " for its pages"));
    }

    private String origin() {
        if (settings.sndbuf() == null) {
            return "net.core.wmem_default";
        }
        long twice = 2 * settings.sndbuf();
        return socket.sndbuf() == twice ? "twice the --sndbuf of " + settings.sndbuf()
                : socket.sndbuf() < twice ? "twice net.core.wmem_max, which --sndbuf exceeds" : "the kernel's minimum";
    }

    /** Until a write waits, and what wakes it; the bytes that are admitted before. */
    private long fill() {
        long filled = 0;
        while (filled < settings.size() && socket.admits()) {
            filled += socket.sendmsg(Math.min(settings.chunk(), settings.size() - filled));
        }
        long skbs = socket.qlen();
        steps.put("admission", "a write gets another skb while less than " + socket.sndbuf() + " is charged: at first "
                + count(skbs, "skb") + ", " + count(filled, "byte") + ", charged " + socket.wmemAlloc()
                + (filled == settings.size() ? "; that is all, so none waits for room" : ""));
        if (filled < settings.size()) {
            steps.put("release", "an skb gives its charge back when its last byte is read; the reader takes "
                    + count(settings.readSize(), "byte") + " every " + time(settings.interval())
                    + ", so the first comes free by " + read(socket.untilCharged(socket.wmemAlloc() - 1)));
            long drained = socket.recvmsg(socket.untilCharged(socket.mostToWake()));
            steps.put("wake-up", "who sleeps in poll or write is woken by a release that leaves at most a quarter"
                    + " charged, (charged + 2) x 4 <= " + socket.sndbuf() + ", so " + socket.mostToWake()
                    + "; for that " + (skbs - socket.qlen()) + " of the " + count(skbs, "skb") + " must be read, "
                    + count(drained, "byte") + ", by " + read(drained));
        }
        return filled;
    }

    private void strategy(Prediction run, long filled) throws UnpredictableException {
        Bursts bursts = new Bursts();
        Prediction.of(settings.withSize(Math.min(settings.size(), 3 * filled)), run.strategy(), bursts);
        steps.put(run.strategy().toString(), switch (run.strategy()) {
            case BLOCKING -> "a write returns when its last skb is admitted; the longest takes "
                    + time(run.longestStall());
            case NONBLOCKING -> "writes whenever less than " + socket.sndbuf() + " is charged: " + bursts;
            case POLL -> "writes whenever three quarters are free: " + bursts;
            case VIRTUAL -> "writes until it is refused, then when three quarters are free: " + bursts;
        });
    }

    /** Which read, and when, takes the last of so many bytes. */
    private String read(long bytes) {
        Receiver receiver = new Receiver(settings);
        long number = 0;
        long received = 0;
        for (long time = receiver.firstRead();; time = receiver.next(time, received)) {
            long whole = receiver.undisturbed((bytes - received - 1) / settings.readSize(), time);
            time += whole * settings.interval();
            received += whole * settings.readSize() + receiver.most(whole);
            number += whole + 1;
            if (received >= bytes) {
                return "read " + number + ", at " + time(time);
            }
        }
    }

    private void faults() {
        Faults faults = settings.faults();
        List<String> words = new ArrayList<>();
        if (faults.firstReadDelay() > 0) {
            words.add("the reader waits " + time(faults.firstReadDelay()) + " before its first read");
        }
        String stall = "it stalls for " + time(faults.resumeAfter());
        if (faults.stallAfter() != null) {
            words.add(stall + " when " + count(faults.stallAfter(), "byte") + " are received");
        }
        if (faults.stallEvery() != null) {
            words.add(stall + " after every " + count(faults.stallEvery(), "byte") + " received");
        }
        if (faults.stallPeriod() != null) {
            words.add(stall + " every " + time(faults.stallPeriod()));
        }
        if (!words.isEmpty()) {
            steps.put("faults", String.join("; ", words));
        }
    }

    /** Nanoseconds as seconds with their unit. */
    static String time(long nanos) {
        return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString() + " s";
    }

    private static String count(long number, String unit) {
        return number + " " + unit + (number == 1 ? "" : "s");
    }

    /** Gathers the writes between two reads. */
    private static final class Bursts implements Observer {
        private final List<Long> times = new ArrayList<>();
        private final List<Long> bytes = new ArrayList<>();
        private boolean after = true;

        @Override
        public void wrote(long time, long count) {
            if (after) {
                times.add(time);
                bytes.add(0L);
                after = false;
            }
            bytes.set(bytes.size() - 1, bytes.get(bytes.size() - 1) + count);
        }

        @Override
        public void received(long time, long count) {
            after = true;
        }

        @Override
        public String toString() {
            return times.isEmpty() ? "nothing" : IntStream.range(0, Math.min(2, times.size()))
                    .mapToObj(i -> count(bytes.get(i), "byte") + " at " + time(times.get(i)))
                    .collect(Collectors.joining(", then "));
        }
    }
}
