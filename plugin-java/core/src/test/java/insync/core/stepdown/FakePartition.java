package insync.core.stepdown;

import insync.core.isr.FollowerTracker;
import java.util.HashMap;
import java.util.Map;

/** A led partition whose fields a test sets. */
final class FakePartition implements PartitionView {
    static final long NOT_PENDING = -1;

    final String topic;
    final int partition;
    int epoch;
    int[] isr = {0, 1, 2};
    int minIsr = 2;
    boolean changing;
    final Map<Integer, Long> leo = new HashMap<>(Map.of(1, 100L, 2, 100L));
    /** Since when a fetch is pending, milliseconds by the clock. */
    long pendingMs = NOT_PENDING;
    int askedInDepth;

    FakePartition(String topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public int leaderEpoch() {
        return epoch;
    }

    @Override
    public long pendingSince(long before) {
        long since = pendingMs * 1_000_000L;
        return pendingMs == NOT_PENDING || since - before > 0 ? FollowerTracker.NOT_PENDING : since;
    }

    @Override
    public boolean isChanging() {
        askedInDepth++;
        return changing;
    }

    @Override
    public int[] isr() {
        return isr;
    }

    @Override
    public int minIsr() {
        return minIsr;
    }

    @Override
    public long leo(int replicaId) {
        return leo.getOrDefault(replicaId, -1L);
    }
}
