package kernel;

/**
 * What a run depends on, in bytes and nanoseconds.
 *
 * @param size      to be sent
 * @param chunk     the sender's buffer, the most offered to one write
 * @param sndbuf    SO_SNDBUF as requested; null: the system's default
 * @param readSize  most bytes taken by one read of the receiver
 * @param interval  the receiver's pause after each read
 * @param heartbeat period of the sender's other work; null: none
 * @param timeout   longest single wait of the poll sender
 * @param giveUp    the sender fails when nothing could be written for so long; null: never
 * @param faults    of the receiver
 */
public record Settings(Machine machine, long size, long chunk, Long sndbuf, long readSize, long interval,
        Long heartbeat, long timeout, Long giveUp, Faults faults) {
    private static final long SECOND = 1_000_000_000;

    /** The defaults of the senders and the receiver: 1 MiB, in one write, to a reader of 20 KiB each second. */
    public static Settings on(Machine machine) {
        return new Settings(machine, 1 << 20, 1 << 20, null, 20 << 10, SECOND, null, 3 * SECOND, null, Faults.NONE);
    }

    public Settings withMachine(Machine other) {
        return new Settings(other, size, chunk, sndbuf, readSize, interval, heartbeat, timeout, giveUp, faults);
    }

    public Settings withSize(long bytes) {
        return new Settings(machine, bytes, chunk, sndbuf, readSize, interval, heartbeat, timeout, giveUp, faults);
    }

    public Settings withChunk(long bytes) {
        return new Settings(machine, size, bytes, sndbuf, readSize, interval, heartbeat, timeout, giveUp, faults);
    }

    public Settings withSndbuf(Long bytes) {
        return new Settings(machine, size, chunk, bytes, readSize, interval, heartbeat, timeout, giveUp, faults);
    }

    public Settings withReadSize(long bytes) {
        return new Settings(machine, size, chunk, sndbuf, bytes, interval, heartbeat, timeout, giveUp, faults);
    }

    public Settings withInterval(long nanos) {
        return new Settings(machine, size, chunk, sndbuf, readSize, nanos, heartbeat, timeout, giveUp, faults);
    }

    public Settings withHeartbeat(Long nanos) {
        return new Settings(machine, size, chunk, sndbuf, readSize, interval, nanos, timeout, giveUp, faults);
    }

    public Settings withTimeout(long nanos) {
        return new Settings(machine, size, chunk, sndbuf, readSize, interval, heartbeat, nanos, giveUp, faults);
    }

    public Settings withGiveUp(Long nanos) {
        return new Settings(machine, size, chunk, sndbuf, readSize, interval, heartbeat, timeout, nanos, faults);
    }

    public Settings withFaults(Faults others) {
        return new Settings(machine, size, chunk, sndbuf, readSize, interval, heartbeat, timeout, giveUp, others);
    }

    /** The send buffer that the kernel makes of the one requested, as getsockopt reports it. */
    public long effectiveSndbuf() {
        return KernelModel.sndbuf(machine, sndbuf);
    }
}
