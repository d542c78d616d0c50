package insync.agent.isr;

import insync.agent.broker.Brokers;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import org.apache.kafka.common.requests.FetchRequest;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/** Weaves Kafka's ReplicaManager: it gets a field for {@link PendingReads}, null if scope "read" is off. */
public class ReplicaManagerHooks extends TypeHooks {
    public static final String PENDING_READS = "insync$pendingReads";

    public ReplicaManagerHooks() {
        super("kafka.server.ReplicaManager");
    }

    @Override
    public List<Hook> hooks() {
        return List.of(on("fetchMessages", FetchMessages.class));
    }

    @Override
    public final DynamicType.Builder<?> addMembers(DynamicType.Builder<?> builder) {
        return property(builder, PENDING_READS, PendingReads.class).implement(ReadsCarrier.class);
    }

    /** Gives access to the field that is added to Kafka's ReplicaManager. */
    public interface ReadsCarrier {

        /** Sets the broker's scope "read"; null if it is off. */
        void insync$pendingReads(PendingReads reads);
    }

    /**
     * Marks the partitions of a follower's fetch before Kafka reads any, and wraps the response callback, which releases
     * the marks. The fetch completes in this method, in the purgatory (in a producer's handler thread), or when it expires.
     */
    static final class FetchMessages {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static PendingFetch<Seq<?>> enter(
                @Advice.This ReplicaManager replicas, @Advice.FieldValue(PENDING_READS) PendingReads pendingReads,
                @Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object params,
                @Advice.Argument(1) Seq<Tuple2<?, FetchRequest.PartitionData>> partitions,
                @Advice.Argument(value = 3, readOnly = false) Function1<Seq<?>, BoxedUnit> callback) {
            if (Brokers.anyRequestScope()) {
                RequestSteps.fetching(replicas, partitions);
            }
            if (pendingReads == null || !((FetchParamsHooks.Params) params).isFromFollower()) {
                return null;
            }
            PendingFetch<Seq<?>> fetch = PendingFetch.begin(pendingReads,
                ((FetchParamsHooks.Params) params).insync$replicaId(),
                ((FetchParamsHooks.Params) params).insync$maxWaitMs(), partitions, callback);
            if (fetch != null) {
                callback = fetch;
            }
            return fetch;
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter PendingFetch<?> fetch, @Advice.Thrown Throwable thrown) {
            if (fetch != null && thrown != null) {
                fetch.complete();
            }
        }
    }
}
