package insync.core.isr;

/** Reads what a fetch request asks for, only when it matters; the agent implements it. */
public interface FetchBody {

    /** What {@link #offsetOf} answers for a partition that the request does not name. */
    long NOT_NAMED = -1;

    /**
     * Returns the offset that a request asks for in a partition.
     *
     * @param request the request, as it was given to {@link FetcherConnection#arrived}
     * @param replica the partition, whose leader epoch a named fetch must have to count
     * @return the offset, or {@link #NOT_NAMED}, also for a fetch of another leader epoch
     */
    long offsetOf(Object request, FollowerReplica replica);
}
