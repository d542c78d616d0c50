package insync.agent.kafka;

import insync.core.Insync;
import insync.core.Stats;
import org.apache.kafka.server.metrics.KafkaMetricsGroup;

/** The plugin's figures in Kafka's own metrics registry, over JMX as insync:type=PendingReads,name=... */
final class Metrics {

    private Metrics() { }

    static void register(Insync insync) {
        KafkaMetricsGroup group = new KafkaMetricsGroup("insync", "PendingReads");
        Stats stats = insync.stats();
        group.newGauge("PendingNow", stats::pendingNow);
        group.newGauge("HeldFollowersNow", stats::heldNow);
        group.newGauge("HoldsGranted", stats::holdsGranted);
        group.newGauge("LongestHoldMs", stats::longestHoldMs);
        group.newGauge("LeaderPausedMs", stats::leaderPausedMs);
        group.newGauge("Errors", insync.failures()::count);
        group.newGauge("EventsDropped", insync.events()::dropped);
    }
}
