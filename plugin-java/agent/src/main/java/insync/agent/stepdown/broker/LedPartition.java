package insync.agent.stepdown.broker;

import insync.agent.isr.PartitionState;
import insync.agent.kafka.KafkaPartition;
import insync.core.isr.FollowerTracker;
import insync.core.stepdown.AppendMarks;
import insync.core.stepdown.PartitionView;
import insync.core.stepdown.PendingAppend;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import kafka.cluster.Partition;
import org.apache.kafka.metadata.LeaderRecoveryState;
import scala.Option;

/** Adapts a partition that this broker leads to the core, by reading Kafka's volatile fields and ours. */
final class LedPartition extends KafkaPartition implements PartitionView {
    private final StepDownAccess access;
    private final AtomicBoolean readFailed = new AtomicBoolean();
    private List<PendingAppend> appends = List.of();
    private boolean isOver;
    private long overSince;

    LedPartition(Partition partition, StepDownAccess access) {
        super(partition);
        this.access = access;
    }

    @Override
    public long overdueSince(long before) {
        long oldest = FollowerTracker.NOT_PENDING;
        for (int id : assigned()) {
            long since = overdueSince(id, before);
            if (since != FollowerTracker.NOT_PENDING && PartitionState.isr(kafka).contains(id)) {
                oldest = FollowerTracker.earlierOf(oldest, since);
            }
        }
        return oldest;
    }

    /** Takes the appends of all partitions that have not ended; called by the watch's thread before its tick. */
    void see(List<PendingAppend> pending) {
        appends = pending;
    }

    @Override
    public PendingAppend oldestAppend() {
        return AppendMarks.oldest(kafka, appends);
    }

    /** Returns for how long another broker has led it, which this one knows and has not applied; called by the watch's thread. */
    long unappliedNanos(long now) {
        boolean was = isOver;
        isOver = LeadershipHooks.isOver(kafka);
        overSince = isOver && was ? overSince : now;
        return now - overSince;
    }

    void noteFailedRead() {
        readFailed.set(true);
    }

    @Override
    public boolean readFailed() {
        return readFailed.getAndSet(false);
    }

    private long overdueSince(int replicaId, long before) {
        FollowerTracker fetches = PartitionState.fetches(kafka, replicaId);
        return fetches == null ? FollowerTracker.NOT_PENDING : fetches.overdueSince(before);
    }

    @Override
    public boolean isChanging() {
        return access.isInFlight(kafka) || kafka.isReassigning();
    }

    @Override
    public int[] isr() {
        Set<Integer> isr = PartitionState.isr(kafka);
        return assigned().stream().filter(isr::contains).mapToInt(Integer::intValue).toArray();
    }

    @Override
    public int minIsr() {
        return access.minIsr(kafka);
    }

    @Override
    public long leo(int replicaId) {
        Option<?> replica = kafka.getReplica(replicaId);
        return replica.isEmpty() ? -1 : access.leo(replica.get());
    }

    /** Returns broker ids in the order of the assignment. */
    List<Integer> assigned() {
        return access.replicas(kafka);
    }

    LeaderRecoveryState recovery() {
        return access.recovery(kafka);
    }

    /** Returns a follower's broker epoch, or -1 if it is not known; the controller does not compare -1. */
    long brokerEpoch(int replicaId) {
        Option<?> replica = kafka.getReplica(replicaId);
        return replica.isEmpty() ? -1 : access.brokerEpoch(replica.get());
    }
}
