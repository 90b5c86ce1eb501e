package measure;

import java.util.concurrent.Callable;

/**
 * The end of the process, whenever it comes. Once it has begun, in a shutdown hook, the main thread takes no further
 * step: what it would see then, as a child that ended, is no result.
 */
public final class End {
    private boolean begun;

    /** Does the last things, while no step is under way; the main thread stands still from here on. */
    public synchronized void begin(Runnable lastThings) {
        begun = true;
        lastThings.run();
    }

    /** Takes a step that the last things must find done or not begun. */
    public synchronized <T> T step(Callable<T> step) throws Exception {
        pass();
        return step.call();
    }

    /** Returns at once, or never. */
    public synchronized void pass() throws InterruptedException {
        while (begun) {
            wait();
        }
    }
}
