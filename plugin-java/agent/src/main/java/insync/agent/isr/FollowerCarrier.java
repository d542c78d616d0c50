package insync.agent.isr;

import insync.core.FollowerFetches;

/** Woven into Kafka's Replica: what the plugin knows of this follower, and when the leader was elected for it. */
public interface FollowerCarrier {

    /** Null until the follower's first fetch with the feature on. */
    FollowerFetches insync$fetches();

    void insync$fetches(FollowerFetches fetches);

    /** Time of the last election at which this replica was in the ISR, milliseconds since the epoch, else 0. */
    long insync$electedMs();
}
