package insync.core.stepdown;

import java.util.Locale;

/** Where a thread is that appends to a leader's log. */
public enum AppendSite {
    /** It waits for the partition's leaderIsrUpdateLock, or has it and is not in the log yet. */
    PARTITION_LOCK,
    /** It checks the records and then waits for the log's lock; or, when they are in the log, to move the high watermark. */
    LOG_LOCK,
    /** It has the log's lock, and is at none of the sites below. */
    LOG,
    /** It closes a full segment and creates the next one. */
    ROLL,
    /** It writes the records to the segment's file. */
    WRITE,
    /** It writes to the segment's indexes, which are mapped into memory, or makes or cuts their files. */
    INDEX,
    /** It flushes the log to the disk, because of flush.messages. */
    FLUSH;

    /** Returns whether a thread may be here because another thread hangs. */
    boolean isLock() {
        return this == PARTITION_LOCK || this == LOG_LOCK;
    }

    /** Returns the site's name in events. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
