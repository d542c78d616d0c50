package insync.core.stepdown;

/** A partition with a slow fetch at one tick: what is seen of it, and what is remembered. */
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

    /** Returns how long the leader has been processing its oldest fetch, pauses of the process left out, nanoseconds. */
    long age() {
        return age;
    }
}
