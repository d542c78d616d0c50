package insync.core.logstart;

/**
 * Bounds a replica's log start offset (KAFKA-7104). At any time log start offset &lt;= high watermark &lt;= log end
 * offset must hold; values that a leader reads one after the other may break it.
 */
public final class LogStartRule {

    private LogStartRule() { }

    /**
     * Returns the log start offset to which a follower may move: no higher than what it has.
     *
     * @param leaders the log start offset that the leader's answer gives
     * @param ownEnd the follower's log end offset, once it has appended the answer's records
     * @param ownHighWatermark the follower's, once it has taken over the answer's
     * @return the bounded offset; a later answer moves the follower further
     */
    public static long bounded(long leaders, long ownEnd, long ownHighWatermark) {
        return Math.min(leaders, Math.min(ownEnd, ownHighWatermark));
    }

    /**
     * Returns the log start offset that an answer may contain: no higher than its high watermark. Kafka reads the high
     * watermark first and the log start offset some time later; both may have moved in between.
     *
     * @param logStart as it was read; below 0 in the answer of a read that failed
     * @param highWatermark as it was read before
     */
    public static long ofAnswer(long logStart, long highWatermark) {
        return Math.min(logStart, highWatermark);
    }
}
