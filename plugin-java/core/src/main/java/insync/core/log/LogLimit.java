package insync.core.log;

/** Limits how many lines a logger writes in a window of time, and counts the others. Used by one thread. */
final class LogLimit {
    private final int most;
    private final long windowNanos;
    private long windowSince;
    private int written;
    private long leftOut;

    LogLimit(int most, long windowNanos) {
        this.most = most;
        this.windowNanos = windowNanos;
    }

    /** Returns whether one more line may be written; a window begins with its first line. */
    boolean allows(long nowNanos) {
        if (written == 0) {
            windowSince = nowNanos;
        }
        if (written < most) {
            written++;
            return true;
        }
        leftOut++;
        return false;
    }

    /** Ends the window if it is over, and returns how many lines were left out in it; 0 if it is not over. */
    long leftOut(long nowNanos) {
        if (written == 0 || nowNanos - windowSince < windowNanos) {
            return 0;
        }
        long count = leftOut;
        written = 0;
        leftOut = 0;
        return count;
    }
}
