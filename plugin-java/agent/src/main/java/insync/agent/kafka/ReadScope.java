package insync.agent.kafka;

import java.util.List;

/** What scope "read" needs in every version, 2.8 included. */
public final class ReadScope {

    private ReadScope() { }

    /** The classes that refer to the broker's. */
    public static List<Class<?>> ownClasses() {
        return List.of(BrokerAccess.class, Fetchers.class, FollowerFetch.class, Followers.class, KafkaBroker.class, KafkaClock.class,
            KafkaFollower.class, LeaderView.class, Metrics.class, PartitionEvents.class, PendingFetch.class,
            PendingReads.class, Settings.class);
    }
}
