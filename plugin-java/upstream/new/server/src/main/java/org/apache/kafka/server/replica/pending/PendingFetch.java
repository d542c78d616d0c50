package org.apache.kafka.server.replica.pending;

import org.apache.kafka.server.replica.Replica;

/** A follower's fetch in scope "read", from before its partitions are read until its response callback has run. */
public final class PendingFetch {
    private final ReadScope scope;
    private final FetchMarks marks;
    private final ReadConnections connections;
    private final String connectionId = ServedFetch.connectionId();

    PendingFetch(ReadScope scope, long maxWaitMs, ReadConnections connections) {
        this.scope = scope;
        this.marks = scope.newMarks(maxWaitMs);
        this.connections = connections;
    }

    /** Marks a partition of the fetch. */
    public void mark(Replica replica, LedPartition partition, long fetchOffset) {
        FollowerTracker known = replica.fetchTracker();
        FollowerTracker tracker = known != null && known.isOf(scope) ? known : replica.fetchTracker(scope,
            earlier -> new ReadScopeTracker(new PartitionFollower(partition, replica.brokerId()), scope, earlier));
        marks.mark((ReadScopeTracker) tracker, fetchOffset);
    }

    /** Notes that all partitions are marked. */
    public void marked() {
        marks.marked();
        if (connectionId != null) {
            connections.pending(connectionId, this);
        }
    }

    /** Releases the marks; only the first call of this or of {@link #abandon} has an effect. */
    public void complete() {
        marks.complete();
        if (connectionId != null) {
            connections.ended(connectionId, this);
        }
    }

    /** Removes the marks, because nobody will get the response. */
    void abandon() {
        marks.abandon();
    }
}
