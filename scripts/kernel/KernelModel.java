package kernel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.LongStream;

/**
 * What Linux does with writes to a unix stream socket: it cuts them into socket buffers (skbs), charges the sender
 * for the truesize of each, and gives that back once the reader has read the whole skb. Names are the kernel's.
 * Checked against the kernels of {@link Machine#MEASURED}; others follow from the source, but for those without
 * CONFIG_MEMCG, which give a small skb a head of another size.
 */
public final class KernelModel {
    private final Architecture architecture;
    private final long pageSize;
    private final long sndbuf;
    /** What an skb holds in its head, a page: SKB_MAX_HEAD in include/linux/skbuff.h. */
    private final long maxHead;
    /** What it holds in pages of its own besides: UNIX_SKB_FRAGS_SZ in net/unix/af_unix.c. */
    private final long maxFrags;
    private long wmemAlloc;
    private final Deque<Skbs> receiveQueue = new ArrayDeque<>();
    /** Bytes of the first skb that are read already. */
    private long consumed;

    /** @param requested SO_SNDBUF; null: not set */
    public KernelModel(Machine machine, Long requested) {
        architecture = machine.architecture();
        pageSize = machine.pageSize();
        maxHead = pageSize - architecture.shinfo;
        maxFrags = Math.max(32768, pageSize);
        sndbuf = sndbuf(machine, requested);
    }

    /** The send buffer as getsockopt reports it: sk_setsockopt and sock_init_data_uid in net/core/sock.c. */
    public static long sndbuf(Machine machine, Long requested) {
        return requested == null ? machine.wmemDefault()
                : Math.max(machine.architecture().minSndbuf(),
                2 * Math.min(requested, Math.min(machine.wmemMax(), Integer.MAX_VALUE / 2)));
    }

    /** Bytes that the next skb of a write takes: unix_stream_sendmsg in net/unix/af_unix.c. */
    public long skbSize(long remaining) {
        return Math.min(remaining, Math.min(sndbuf / 2 - 64, maxHead + maxFrags));
    }

    /** Bytes of an skb that lie in pages, not in its head: unix_stream_sendmsg. */
    public long dataLen(long size) {
        return Math.min(size, pageAlign(Math.max(0, size - maxHead)));
    }

    /** What an skb is charged, head and all: __alloc_skb and alloc_skb_with_frags in net/core/skbuff.c. */
    public long truesize(long size) {
        long dataLen = dataLen(size);
        return kmalloc(size - dataLen + architecture.shinfo) + architecture.skBuff + pageAlign(dataLen);
    }

    /** Bytes charged to the sender: sk_wmem_alloc, but for the socket's own 1. */
    public long wmemAlloc() {
        return wmemAlloc;
    }

    /** The send buffer as getsockopt reports it. */
    public long sndbuf() {
        return sndbuf;
    }

    /** What an skb holds in its head. */
    long maxHead() {
        return maxHead;
    }

    /** What it holds in pages besides. */
    long maxFrags() {
        return maxFrags;
    }

    long pageAlign(long size) {
        return (size + pageSize - 1) & -pageSize;
    }

    /** The size class that holds a head; from 256 bytes on they are the powers of two: mm/slab_common.c. */
    static long kmalloc(long size) {
        return Long.highestOneBit(size - 1) << 1;
    }

    /** Whether a write gets an skb, perhaps a larger one than fits: sock_alloc_send_pskb in net/core/sock.c. */
    public boolean admits() {
        return wmemAlloc < sndbuf;
    }

    /** Whether poll finds the socket writable: unix_writable in net/unix/af_unix.c; the 1 is the socket's own. */
    public boolean writable() {
        return (wmemAlloc + 1) * 4 <= sndbuf;
    }

    /**
     * Most that is charged after a release that wakes who sleeps in poll or write: unix_write_space asks what
     * unix_writable does, but sock_wfree (net/core/sock.c) calls it while it still holds 1 byte of the skb.
     */
    public long mostToWake() {
        return sndbuf / 4 - 2;
    }

    /** A non-blocking write: takes skb after skb while they are admitted; returns the bytes taken. */
    public long sendmsg(long length) {
        long sent = 0;
        while (sent < length && admits()) {
            long size = skbSize(length - sent);
            sent += size * queue(size, (length - sent) / size, sndbuf);
        }
        return sent;
    }

    /** Queues up to count skbs of a size, each if less than the limit is charged before it; returns how many. */
    long queue(long size, long count, long limit) {
        long truesize = truesize(size);
        long skbs = Math.min(count, (limit - wmemAlloc + truesize - 1) / truesize);
        wmemAlloc += skbs * truesize;
        if (!receiveQueue.isEmpty() && receiveQueue.getLast().size == size) {
            receiveQueue.getLast().count += skbs;
        } else {
            receiveQueue.add(new Skbs(size, truesize, skbs));
        }
        return skbs;
    }

    /** A read; an skb is released, with its whole charge, when its last byte is read. Returns the bytes read. */
    public long recvmsg(long length) {
        long copied = 0;
        while (copied < length && !receiveQueue.isEmpty()) {
            Skbs first = receiveQueue.getFirst();
            long released = Math.min(first.count, (consumed + length - copied) / first.size);
            if (released == 0) {
                consumed += length - copied;
                return length;
            }
            copied += released * first.size - consumed;
            consumed = 0;
            wmemAlloc -= released * first.truesize;
            first.count -= released;
            if (first.count == 0) {
                receiveQueue.removeFirst();
            }
        }
        return copied;
    }

    /** Skbs in the queue. */
    public long qlen() {
        return receiveQueue.stream().mapToLong(skbs -> skbs.count).sum();
    }

    /** Bytes that must be read until at most so much is charged. */
    public long untilCharged(long most) {
        long bytes = -consumed;
        long charged = wmemAlloc;
        for (Skbs skbs : receiveQueue) {
            long released = Math.min(skbs.count, Math.max(0, charged - most + skbs.truesize - 1) / skbs.truesize);
            bytes += released * skbs.size;
            charged -= released * skbs.truesize;
        }
        return bytes;
    }

    /** The queue in numbers, which are equal when the queues are. */
    LongStream state() {
        return LongStream.concat(LongStream.of(consumed),
                receiveQueue.stream().flatMapToLong(skbs -> LongStream.of(skbs.size, skbs.count)));
    }

    /** Neighbours of one size in the queue; one entry for all keeps long queues of small skbs short. */
    private static class Skbs {
        final long size;
        final long truesize;
        long count;

        Skbs(long size, long truesize, long count) {
            this.size = size;
            this.truesize = truesize;
            this.count = count;
        }
    }
}
