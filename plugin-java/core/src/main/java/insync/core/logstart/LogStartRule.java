package insync.core.logstart;

/**
 * Bounds a replica's log start offset (KAFKA-7104). At any time log start offset &lt;= high watermark &lt;= log end
 * offset must be true; values that a leader reads one after the other may violate it.
 */
public final class LogStartRule {

    private LogStartRule() { }

    /**
     * Returns the log start offset to which a follower may move: no higher than its own log end offset and high watermark.
     *
     * @param leaders the log start offset in the leader's response
     * @param ownEnd the follower's log end offset after it appended the response's records
     * @param ownHighWatermark the follower's high watermark after it applied the response's
     * @return the bounded offset; a later response moves the follower further
     */
    public static long bounded(long leaders, long ownEnd, long ownHighWatermark) {
        return Math.min(leaders, Math.min(ownEnd, ownHighWatermark));
    }

    /**
     * Returns the log start offset that a response may contain: no higher than its high watermark. Kafka reads the high
     * watermark first and the log start offset later; both may move in between.
     *
     * @param logStart the log start offset that Kafka read; below 0 if the read failed
     * @param highWatermark the high watermark that Kafka read before
     */
    public static long ofAnswer(long logStart, long highWatermark) {
        return Math.min(logStart, highWatermark);
    }

    /**
     * Returns the high watermark that the answer to a follower's fetch may contain, once the fetch is recorded: as the
     * fetch moved it, but not above the log that was read.
     *
     * @param read the high watermark as of the read; below 0 in the answer of a read that failed
     * @param now the leader's, after the fetch was recorded
     * @param logEnd the log end offset as of the read
     */
    public static long watermarkOfAnswer(long read, long now, long logEnd) {
        return Math.max(read, Math.min(now, logEnd));
    }
}
