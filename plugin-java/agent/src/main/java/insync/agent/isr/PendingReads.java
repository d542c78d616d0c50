package insync.agent.isr;

import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.agent.kafka.BrokerAccess;
import insync.core.Clock;
import insync.core.Insync;
import insync.core.isr.FetchMarks;
import insync.core.isr.PendingReport;
import insync.core.isr.ReadScopeTracker;
import insync.core.isr.Stats;
import java.util.Optional;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import scala.Option;

/** Runs scope "read" in one broker: finds the trackers for the partitions of a fetch and marks them. */
public final class PendingReads {
    private final ReplicaManager replicas;
    private final BrokerAccess access;
    private final Clock clock;
    private final Stats stats;
    private final PendingReport report;
    private final long maxAgeMs;

    /** @param maxAgeMs for how long a fetch keeps its follower in sync at most, or -1 */
    public PendingReads(ReplicaManager replicas, BrokerAccess access, Clock clock, Insync insync, long lagTimeMaxMs,
                        long maxAgeMs) {
        this.maxAgeMs = maxAgeMs;
        this.replicas = replicas;
        this.access = access;
        this.clock = clock;
        this.stats = insync.stats();
        this.report = new PendingReport(insync.events(), stats, lagTimeMaxMs);
        report.start();
    }

    /** Ends its threads. */
    public void stop() {
        report.stop();
    }

    /**
     * Returns the marks of a fetch that begins now.
     *
     * @param maxWaitMs how long it may wait for records
     */
    public FetchMarks newMarks(long maxWaitMs) {
        return new FetchMarks(clock, stats, maxWaitMs);
    }

    /**
     * Marks one partition of a follower's fetch.
     *
     * @param replicaId the follower
     * @param key the partition, as the fetch names it
     * @param fetchOffset offset it asks for
     * @param leaderEpoch the leader epoch in the fetch, if present; Kafka answers a fetch of another epoch with an error,
     *     so it protects no follower
     */
    public void mark(FetchMarks marks, int replicaId, Object key, long fetchOffset, Optional<Integer> leaderEpoch) {
        Option<Partition> partition = replicas.onlinePartition(access.partition(key));
        if (partition.isEmpty() || leaderEpoch.isPresent() && leaderEpoch.get() != partition.get().getLeaderEpoch()) {
            return;
        }
        Option<?> replica = partition.get().getReplica(replicaId);
        if (replica.isDefined()) {
            marks.mark(fetches(partition.get(), replicaId, (FollowerCarrier) replica.get()), fetchOffset);
        }
    }

    private ReadScopeTracker fetches(Partition partition, int replicaId, FollowerCarrier carrier) {
        ReadScopeTracker fetches = (ReadScopeTracker) carrier.insync$fetches();
        return fetches != null ? fetches : attach(partition, replicaId, carrier);
    }

    /** Creates one tracker per Replica object, which Kafka replaces with each assignment. */
    private synchronized ReadScopeTracker attach(Partition partition, int replicaId, FollowerCarrier carrier) {
        if (carrier.insync$fetches() == null) {
            carrier.insync$fetches(
                new ReadScopeTracker(new KafkaFollower(partition, replicaId), clock, stats, report, maxAgeMs));
        }
        return (ReadScopeTracker) carrier.insync$fetches();
    }
}
