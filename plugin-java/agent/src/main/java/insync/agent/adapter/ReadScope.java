package insync.agent.adapter;

import insync.agent.broker.KafkaBroker;
import insync.agent.broker.LeaderView;
import insync.agent.broker.Metrics;
import insync.agent.isr.FollowerFetch;
import insync.agent.isr.Followers;
import insync.agent.isr.KafkaFollower;
import insync.agent.isr.PartitionEvents;
import insync.agent.isr.PendingFetch;
import insync.agent.isr.PendingReads;
import insync.agent.isr.Settings;
import insync.agent.kafka.BrokerAccess;
import insync.agent.kafka.Fetchers;
import insync.agent.kafka.KafkaClock;
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
