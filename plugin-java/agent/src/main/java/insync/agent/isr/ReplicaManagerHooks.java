package insync.agent.isr;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.broker.Brokers;
import insync.agent.isr.FetchParamsHooks.Params;
import insync.agent.isr.PendingReads.ReadsCarrier;
import insync.agent.weave.TypeHooks;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.implementation.MethodCall;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.utils.Time;
import scala.Function1;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.runtime.BoxedUnit;

/**
 * Weaves Kafka's ReplicaManager, to start and stop the plugin with the broker: it gets a field for {@link PendingReads}, null if
 * scope "read" is off.
 */
public class ReplicaManagerHooks extends TypeHooks {
    public static final String PENDING_READS = "insync$pendingReads";

    /** For versions with solution 2, in which ReplicaManager has one constructor. */
    public ReplicaManagerHooks() {
        this(ElementMatchers.isConstructor(), FetchMessages.class);
        on("<init>", StepDownInit.class);
        on("shutdown", Shutdown.class);
    }

    /** @param constructor selects the constructor that all others call */
    protected ReplicaManagerHooks(ElementMatcher<MethodDescription> constructor, Class<?> fetchMessages) {
        super("kafka.server.ReplicaManager");
        on("<init>", constructor, Init.class);
        on("fetchMessages", fetchMessages);
        property(PENDING_READS, PendingReads.class);
        implement(ReadsCarrier.class);
        method("insync$online", Iterator.class, MethodCall.invoke(ElementMatchers.named("onlinePartitionsIterator")));
        implement(PartitionState.Hosts.class);
    }

    /** Starts the plugin in a broker. */
    static final class Init {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This ReplicaManager replicas, @Advice.Argument(0) KafkaConfig config,
                         @Advice.FieldValue("time") Time time) {
            BrokerLifecycle.of(config).replicaManagerStarted(replicas, config, time);
        }
    }

    /** Starts the watch if the feature is on. */
    static final class StepDownInit {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This ReplicaManager replicas, @Advice.Argument(0) KafkaConfig config,
                         @Advice.FieldValue("time") Time time,
                         @Advice.FieldValue(value = "alterPartitionManager", typing = Assigner.Typing.DYNAMIC)
                             Object manager) {
            BrokerLifecycle.of(config).alterPartitionsStarted(replicas, config, time, manager);
        }
    }

    /** Stops the watch, and the threads of scope "read". */
    static final class Shutdown {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue("config") KafkaConfig config) {
            BrokerLifecycle.of(config).replicaManagerStopped();
        }
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
            if (pendingReads == null || !((Params) params).isFromFollower()) {
                return null;
            }
            PendingFetch<Seq<?>> fetch = pendingReads.begin(((Params) params).insync$replicaId(),
                ((Params) params).insync$maxWaitMs(), partitions, callback);
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
