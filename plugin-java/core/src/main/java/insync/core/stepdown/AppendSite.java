package insync.core.stepdown;

/** Where a thread is that appends to a partition's log. */
public enum AppendSite {
    /** It waits for the partition's leaderIsrUpdateLock or, before and after the records are in the log, for the log's lock. */
    LOCK,
    /** It has the log's lock: it writes, rolls, indexes or flushes. */
    LOG
}
