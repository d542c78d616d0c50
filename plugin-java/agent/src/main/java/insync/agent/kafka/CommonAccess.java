package insync.agent.kafka;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.lagpolicy.LagAccess;
import insync.agent.stepdown.broker.StepDownAccess;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;

/** Implements the access that is the same in all versions from 3.6 on. */
public abstract class CommonAccess implements LagAccess, StepDownAccess {

    @Override
    public final MetricsRegistry metrics() {
        return KafkaYammerMetrics.defaultRegistry();
    }

    @Override
    public final TopicPartition partition(Object key) {
        return ((TopicIdPartition) key).topicPartition();
    }

    /** Returns the time of a follower's last fetch, or of the election if it has not fetched since. */
    protected static long lastFetchOrElectionMs(long lastFetchMs, long lastCaughtUpMs) {
        return Math.max(lastFetchMs, lastCaughtUpMs);
    }

    /**
     * Returns whether another broker leads in a later epoch, according to metadata with a leader, or -1, and its epoch.
     */
    protected static boolean isLedElsewhere(int leader, int itsEpoch, int self, int leaderEpoch) {
        return itsEpoch > leaderEpoch && leader >= 0 && leader != self;
    }
}
