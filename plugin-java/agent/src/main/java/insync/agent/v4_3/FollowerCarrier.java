package insync.agent.v4_3;

import insync.core.FollowerFetches;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.server.replica.ReplicaState;

/** Woven into Kafka's Replica: a field for its follower's pending fetches, and a way to its private state. */
public interface FollowerCarrier {

    /** Null until the follower's first fetch with the feature on. */
    FollowerFetches insync$fetches();

    void insync$fetches(FollowerFetches fetches);

    AtomicReference<ReplicaState> insync$state();
}
