package insync.core.isr;

/** Reads a partition's offset from the body of a fetch request, only when it is needed. */
public interface FetchBody {

    /** {@link #offsetOf} returns this for a partition that the request does not name. */
    long NOT_NAMED = -1;

    /**
     * Returns the offset that a request names for a partition.
     *
     * @param request the request, as passed to {@link FetcherConnection#arrived}
     * @param replica the partition, whose leader epoch a named fetch must have to count
     * @return the offset, or {@link #NOT_NAMED}, also for a fetch of another leader epoch
     */
    long offsetOf(Object request, FollowerReplica replica);
}
