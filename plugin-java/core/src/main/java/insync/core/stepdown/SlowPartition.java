package insync.core.stepdown;

/** A partition with a slow fetch, a slow append or a read error at one tick: its view, its entry, and the age of that. */
final class SlowPartition {
    final PartitionView view;
    final LedPartitions.Entry entry;
    /** Why the leader should step down. */
    final Reason reason;
    /** How long its oldest fetch has been overdue, or its oldest append pending, without pauses of the process, nanoseconds. */
    final long age;
    /** How long that may last, nanoseconds. */
    final long limit;
    /** Where its oldest append is; null for other reasons. */
    final AppendSite site;

    SlowPartition(PartitionView view, LedPartitions.Entry entry, Reason reason, long age, long limit,
            AppendSite site) {
        this.view = view;
        this.entry = entry;
        this.reason = reason;
        this.age = age;
        this.limit = limit;
        this.site = site;
    }

    /** Returns whether the age is beyond its limit. */
    boolean isSlow() {
        return age > limit;
    }

    /** Returns the age as a multiple of its limit, by which fetches and appends are compared. */
    double timesLimit() {
        return isSlow() ? Math.max(Math.nextUp(1), (double) age / limit) : (double) age / limit;
    }
}
