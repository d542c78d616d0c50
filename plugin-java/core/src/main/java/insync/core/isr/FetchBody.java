package insync.core.isr;

/** What a fetch request asks for, looked at only when it matters; a version adapter implements it. */
public interface FetchBody {

    /** What {@link #offsetOf} answers for a partition that the request does not name. */
    long NOT_NAMED = -1;

    /**
     * The offset that a request asks for in a partition.
     *
     * @param request the request, as it was given to {@link FetcherConnection#arrived}
     * @param replica the partition, whose leader epoch a named fetch must have to count
     * @return the offset, or {@link #NOT_NAMED}, also for a fetch of another leader epoch
     */
    long offsetOf(Object request, FollowerReplica replica);
}
