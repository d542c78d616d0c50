package insync.core.lagpolicy;

/**
 * Kafka 0.8's rule of who is out of sync (Partition.getOutOfSyncReplicas of 0.8.1, replica.lag.max.messages), as arithmetic
 * on offsets and times. A follower leaves for being <em>slow</em>, more than so many messages behind, however short a time
 * ago it was caught up; or <em>stuck</em>, behind and without a fetch for replica.lag.time.max.ms.
 */
public final class MessageLagRule {
    private final long maxMessages;

    /** @param maxMessages how many messages a follower may be behind; at least 1 */
    public MessageLagRule(long maxMessages) {
        if (maxMessages < 1) {
            throw new IllegalArgumentException("messages:" + maxMessages + ", expected at least 1");
        }
        this.maxMessages = maxMessages;
    }

    /**
     * @param followerLeo offset of the follower's last fetch; below 0 before its first, when nobody knows how slow it is
     * @param heardMs when that fetch came, or the leader was elected; milliseconds since the epoch
     * @param leaderLeo the leader's log end offset
     * @param nowMs the leader's time, milliseconds since the epoch
     * @param maxLagMs replica.lag.time.max.ms
     */
    public boolean isOutOfSync(long followerLeo, long heardMs, long leaderLeo, long nowMs, long maxLagMs) {
        boolean slow = followerLeo >= 0 && leaderLeo - followerLeo > maxMessages;
        boolean stuck = followerLeo < leaderLeo && nowMs - heardMs > maxLagMs;
        return slow || stuck;
    }

    @Override
    public String toString() {
        return "messages:" + maxMessages;
    }
}
