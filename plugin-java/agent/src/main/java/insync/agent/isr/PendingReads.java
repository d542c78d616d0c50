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
import scala.Function1;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

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

    /**
     * Marks the partitions of a follower's fetch at the start of ReplicaManager.fetchMessages. One that Kafka answers with an error
     * protects no follower.
     *
     * @param maxWaitMs how long the fetch may wait for records
     * @return the response callback to use instead, or null if nothing is marked, because the fetch protects no follower
     */
    public <R> PendingFetch<R> begin(int replicaId, long maxWaitMs,
            Seq<? extends Tuple2<?, FetchRequest.PartitionData>> partitions, Function1<R, BoxedUnit> callback) {
        FetchMarks marks = new FetchMarks(scope, maxWaitMs);
        try {
            Iterator<? extends Tuple2<?, FetchRequest.PartitionData>> each = partitions.iterator();
            while (each.hasNext()) {
                Tuple2<?, FetchRequest.PartitionData> one = each.next();
                FollowerTracker fetches = Followers.fetched(replicas, one._1(), one._2(), replicaId, scope);
                if (fetches != null) {
                    marks.mark((ReadScopeTracker) fetches, one._2().fetchOffset);
                }
            }
            return marks.isEmpty() ? null : new PendingFetch<>(callback, marks);
        } catch (RuntimeException | Error failed) {
            marks.complete();
            throw failed;
        } finally {
            marks.marked();
        }
    }

    /** Gives access to the field that is added to Kafka's ReplicaManager. */
    public interface ReadsCarrier {
        /** Sets the broker's scope "read"; null if it is off. */
        void insync$pendingReads(PendingReads reads);
    }
}
