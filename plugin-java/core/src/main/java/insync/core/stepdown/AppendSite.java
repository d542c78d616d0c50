package insync.core.stepdown;

import java.util.Locale;

/** Where a thread is that appends to a partition's log. */
public enum AppendSite {
    /** It waits for the partition's leaderIsrUpdateLock or, before and after the records are in the log, for the log's lock. */
    LOCK,
    /** It has the log's lock: it writes, rolls, indexes or flushes. */
    LOG;

    /** Returns the site's name in events. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
