package insync.agent.isr;

import insync.agent.weave.TypeHooks;
import insync.core.isr.FollowerTracker;
import net.bytebuddy.asm.Advice;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;

/** Weaves Kafka's Replica, the leader's state of a follower; it gets a field for the follower's tracker. */
public class ReplicaHooks extends TypeHooks {
    /** The class moved in 4.1. */
    private static final String TYPE = moved("kafka.cluster.Replica", "org.apache.kafka.server.replica.Replica");
    public static final String FETCHES = "insync$fetches";
    public static final String ELECTED = "insync$electedMs";

    /** @param update the method that records a fetch */
    public ReplicaHooks(String update) {
        this(TYPE, update, UpdateFetchState.class, "resetReplicaState", ResetReplicaState.class);
    }

    protected ReplicaHooks(String type, String update, Class<?> updated, String reset, Class<?> wasReset) {
        super(type);
        on(update, updated);
        on(reset, wasReset);
        property(FETCHES, FollowerTracker.class);
        property(ELECTED, long.class);
        implement(FollowerCarrier.class);
    }

    /** Gives access to the fields that are added to Kafka's Replica. */
    public interface FollowerCarrier {

        /** Returns the follower's tracker; null until the follower's first fetch with the feature on. */
        FollowerTracker insync$fetches();

        void insync$fetches(FollowerTracker fetches);

        /** Returns the time of the last election at which this replica was in the ISR, milliseconds since the epoch, or 0. */
        long insync$electedMs();
    }

    /**
     * Passes a fetch that Kafka has recorded to the tracker. If Kafka refuses the fetch, for example because of its broker
     * epoch, it throws, and the fetch is not passed. No election comes in between, because the caller has the partition's
     * leaderIsrUpdateLock for reading.
     */
    static final class UpdateFetchState {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.FieldValue(FETCHES) FollowerTracker fetches,
                         @Advice.Argument(0) LogOffsetMetadata fetchOffset, @Advice.Argument(3) long leaderLeo) {
            if (fetches != null) {
                fetches.fetched(fetchOffset.messageOffset, leaderLeo);
            }
        }
    }

    /**
     * Clears the tracker when the leader is elected or re-elected, before Kafka resets the follower's state: a fetch of
     * the old epoch must not count in the new one.
     */
    static final class ResetReplicaState {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.FieldValue(FETCHES) FollowerTracker fetches,
                          @Advice.FieldValue(value = ELECTED, readOnly = false) long electedMs,
                          @Advice.Argument(0) long nowMs, @Advice.Argument(1) long leaderLeo,
                          @Advice.Argument(2) boolean newLeader, @Advice.Argument(3) boolean inSync) {
            electedMs = inSync ? nowMs : 0L;
            if (fetches != null) {
                fetches.elected(nowMs, leaderLeo, newLeader, inSync);
            }
        }
    }
}
