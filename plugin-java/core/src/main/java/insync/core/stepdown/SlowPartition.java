package insync.core.stepdown;

/** A partition with a slow fetch or a read error at one tick: its view, its entry and the age of its oldest fetch. */
final class SlowPartition {
    private final PartitionView view;
    private final LedPartitions.Entry entry;
    private final long age;
    private final Reason reason;

    /** @param reason why the leader should step down */
    SlowPartition(PartitionView view, LedPartitions.Entry entry, long age, Reason reason) {
        this.view = view;
        this.entry = entry;
        this.age = age;
        this.reason = reason;
    }

    PartitionView view() {
        return view;
    }

    LedPartitions.Entry entry() {
        return entry;
    }

    /** Returns how long its oldest fetch has been overdue, without pauses of the process, nanoseconds. */
    long age() {
        return age;
    }

    /** Returns why the leader should step down. */
    Reason reason() {
        return reason;
    }
}
