package insync.lab.lagpolicy;

/**
 * Decides by Kafka 0.8's rule whether a follower is out of sync (Partition.getOutOfSyncReplicas of 0.8.1,
 * replica.lag.max.messages). It is <em>slow</em> if it is more than that many messages behind, and <em>stuck</em> if it
 * is behind and has not fetched for replica.lag.time.max.ms.
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
     * @param followerLeo offset of the follower's last fetch; below 0 before its first fetch
     * @param lastFetchMs time of that fetch, or of the leader's election; milliseconds since the epoch
     * @param leaderLeo the leader's log end offset
     * @param nowMs the leader's time, milliseconds since the epoch
     * @param maxLagMs replica.lag.time.max.ms
     */
    public boolean isOutOfSync(long followerLeo, long lastFetchMs, long leaderLeo, long nowMs, long maxLagMs) {
        boolean slow = followerLeo >= 0 && leaderLeo - followerLeo > maxMessages;
        boolean stuck = followerLeo < leaderLeo && nowMs - lastFetchMs > maxLagMs;
        return slow || stuck;
    }

    @Override
    public String toString() {
        return "messages:" + maxMessages;
    }
}
