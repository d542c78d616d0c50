package insync.core.stepdown;

/** A partition with a slow fetch at one tick: its view, its entry and the age of its oldest fetch. */
final class SlowPartition {
    private final PartitionView view;
    private final LedPartitions.Entry entry;
    private final long age;

    SlowPartition(PartitionView view, LedPartitions.Entry entry, long age) {
        this.view = view;
        this.entry = entry;
        this.age = age;
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
}
