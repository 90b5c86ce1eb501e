package stuck;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** What a sleeping thread asked the kernel for, as far as it matters to a socket. */
public enum Call {
    WRITE("write", Set.of(1, 20, 40, 44, 46, 307), Set.of(64, 66, 71, 206, 211, 269),
            "sock_alloc_send_pskb", "sock_wait_for_wmem"),
    READ("read", Set.of(0, 19, 45, 47, 299), Set.of(63, 65, 207, 212, 243),
            "unix_stream_read_generic", "unix_stream_data_wait"),
    POLL("poll", Set.of(7, 271), Set.of(73), "poll_schedule_timeout", "do_poll", "do_sys_poll"),
    SELECT("select", Set.of(23, 270), Set.of(72), "do_select", "core_sys_select"),
    EPOLL("epoll", Set.of(232, 281, 441), Set.of(22, 441), "ep_poll", "do_epoll_wait"),
    ACCEPT("accept", Set.of(43, 288), Set.of(202, 242)),
    CONNECT("connect", Set.of(42), Set.of(203), "unix_wait_for_peer"),
    OTHER("another call", Set.of(), Set.of());

    /** Whose numbers of system calls are known; elsewhere the name of the kernel's function has to do. */
    public enum Numbers {
        X86_64, GENERIC, UNKNOWN;

        /** Those of this machine: arm64, riscv64 and loongarch64 share the generic ones. */
        public static Numbers here() {
            return Map.of("amd64", X86_64, "aarch64", GENERIC, "riscv64", GENERIC, "loongarch64", GENERIC)
                    .getOrDefault(System.getProperty("os.arch"), UNKNOWN);
        }
    }

    /** A word for a sentence. */
    public final String word;
    private final Map<Numbers, Set<Integer>> numbers;
    private final List<String> functions;

    Call(String word, Set<Integer> x86, Set<Integer> generic, String... functions) {
        this.word = word;
        this.numbers = Map.of(Numbers.X86_64, x86, Numbers.GENERIC, generic, Numbers.UNKNOWN, Set.of());
        this.functions = List.of(functions);
    }

    /** The call with this number, or OTHER. */
    public static Call numbered(Numbers machine, long number) {
        return first(call -> call.numbers.get(machine).contains((int) number));
    }

    /**
     * The call that sleeps in this function of the kernel, or OTHER.
     *
     * @param wchan as /proc has it, perhaps with a suffix of the compiler, as {@code poll_schedule_timeout.constprop.0}
     */
    public static Call sleepingIn(String wchan) {
        return first(call -> call.functions.contains(wchan.replaceFirst("\\..*", "")));
    }

    private static Call first(Predicate<Call> wanted) {
        for (Call call : values()) {
            if (wanted.test(call)) {
                return call;
            }
        }
        return OTHER;
    }
}
