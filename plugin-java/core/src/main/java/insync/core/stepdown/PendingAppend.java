package insync.core.stepdown;

/** Describes an append to a leader's log that had not ended when the watch looked. */
public final class PendingAppend {
    /** The broker's partition. */
    public final Object partition;
    /** When it began, by the broker's monotonic clock. */
    public final long sinceNanos;
    public final AppendSite site;
    /** The request that its thread serves, or null if the thread serves none, as a group coordinator's. */
    public final Object request;

    PendingAppend(Object partition, long sinceNanos, AppendSite site, Object request) {
        this.partition = partition;
        this.sinceNanos = sinceNanos;
        this.site = site;
        this.request = request;
    }

    /** Returns this append with the site of another one of the same partition, which has the lock that this one may wait for. */
    PendingAppend behind(PendingAppend other) {
        return new PendingAppend(partition, sinceNanos, other.site, request);
    }
}
