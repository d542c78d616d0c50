package insync.agent.isr;

import insync.core.Clock;
import insync.core.Insync;
import insync.core.isr.FetchMarks;
import insync.core.isr.FollowerTracker;
import insync.core.isr.ReadScopeTracker;
import insync.core.isr.Scope;
import insync.core.log.PendingReport;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.requests.FetchRequest;

/** Runs scope "read" in one broker: finds the trackers for the partitions of a fetch and marks them. */
public final class PendingReads {
    private final ReplicaManager replicas;
    private final Scope scope;
    private final PendingReport report;

    public PendingReads(ReplicaManager replicas, Clock clock, Insync insync, long lagTimeMaxMs) {
        this.replicas = replicas;
        this.report = new PendingReport(insync, lagTimeMaxMs);
        this.scope = new Scope(clock, insync.stats, report);
        report.start();
    }

    /** Ends its threads, and the effect of its marks. */
    public void stop() {
        scope.end();
        report.stop();
    }

    /** Returns the marks of a fetch that begins now and may wait for records for so long. */
    public FetchMarks newMarks(long maxWaitMs) {
        return new FetchMarks(scope, maxWaitMs);
    }

    /**
     * Marks one partition of a follower's fetch.
     *
     * @param replicaId the follower
     * @param key the partition, as the fetch names it
     * @param data what it asks for; a fetch that Kafka answers with an error protects no follower
     */
    public void mark(FetchMarks marks, int replicaId, Object key, FetchRequest.PartitionData data) {
        FollowerTracker fetches = Followers.fetched(replicas, key, data, replicaId, scope);
        if (fetches != null) {
            marks.mark((ReadScopeTracker) fetches, data.fetchOffset);
        }
    }

    /** Gives access to the field that is added to Kafka's ReplicaManager. */
    public interface ReadsCarrier {
        /** Sets the broker's scope "read"; null if it is off. */
        void insync$pendingReads(PendingReads reads);
    }
}
