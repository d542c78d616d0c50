package insync.core;

/** Hears of each mark that a completed fetch released; called under a leaf lock, so it must return at once. */
public interface PendingListener {

    /**
     * @param replica whose fetch it was
     * @param fetchOffset offset that was fetched
     * @param heldNanos how long the mark stood
     */
    void released(FollowerReplica replica, long fetchOffset, long heldNanos);
}
