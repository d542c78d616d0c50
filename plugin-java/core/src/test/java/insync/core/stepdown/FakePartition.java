package insync.core.stepdown;

import insync.core.isr.FollowerTracker;
import java.util.HashMap;
import java.util.Map;

/** A led partition whose fields a test sets. */
class FakePartition implements PartitionView {
    static final long NOT_OVERDUE = -1;

    final String topic;
    final int partition;
    int epoch;
    int[] isr = {0, 1, 2};
    int minIsr = 2;
    boolean changing;
    final Map<Integer, Long> leo = new HashMap<>(Map.of(1, 100L, 2, 100L));
    /** Since when a fetch is overdue, milliseconds by the clock. */
    long overdueMs = NOT_OVERDUE;
    /** Since when an append is pending, milliseconds by the clock, and where it is. */
    long appendingMs = NOT_OVERDUE;
    AppendSite site = AppendSite.LOG;
    /** How many reads failed so far. */
    boolean readFailed;
    int askedInDepth;
    /** What each question about its fetches throws, or null. */
    RuntimeException broken;

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
    public long overdueSince(long before) {
        if (broken != null) {
            throw broken;
        }
        long since = overdueMs * 1_000_000L;
        return overdueMs == NOT_OVERDUE || since - before > 0 ? FollowerTracker.NOT_PENDING : since;
    }

    @Override
    public PendingAppend oldestAppend() {
        return appendingMs == NOT_OVERDUE ? null : new PendingAppend(this, appendingMs * 1_000_000L, site, null);
    }

    @Override
    public boolean readFailed() {
        boolean failed = readFailed;
        readFailed = false;
        return failed;
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
