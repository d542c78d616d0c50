package insync.core.logstart;

/**
 * What a replica's log start offset may be (KAFKA-7104). Everywhere and at any time log start offset &lt;= high watermark
 * &lt;= log end offset; a leader's figures that were read one by one need not be so among themselves.
 */
public final class LogStartRule {

    private LogStartRule() { }

    /**
     * A follower's side: no higher than what it holds.
     *
     * @param leaders the log start offset that the leader's answer gives
     * @param ownEnd the follower's log end offset, once it has appended the answer's records
     * @param ownHighWatermark the follower's, once it has taken over the answer's
     * @return the offset to which the follower may go; it follows the rest with a later answer
     */
    public static long bounded(long leaders, long ownEnd, long ownHighWatermark) {
        return Math.min(leaders, Math.min(ownEnd, ownHighWatermark));
    }

    /**
     * A leader's side: an answer's log start offset is no higher than its high watermark. Kafka reads the high watermark
     * first and the log start offset some time later; both may have moved in between.
     *
     * @param logStart as it was read; below 0 in the answer of a read that failed
     * @param highWatermark as it was read before
     */
    public static long ofAnswer(long logStart, long highWatermark) {
        return Math.min(logStart, highWatermark);
    }
}
