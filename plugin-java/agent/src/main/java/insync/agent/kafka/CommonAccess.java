package insync.agent.kafka;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.lagpolicy.LagAccess;
import insync.agent.stepdown.broker.StepDownAccess;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;

/** Reads what is the same in all versions from 3.9 on. */
public abstract class CommonAccess implements LagAccess, StepDownAccess {

    @Override
    public final MetricsRegistry metrics() {
        return KafkaYammerMetrics.defaultRegistry();
    }

    @Override
    public final TopicPartition partition(Object key) {
        return ((TopicIdPartition) key).topicPartition();
    }

    /** Returns when a follower was heard of last. An election counts: before a first fetch nothing else is known. */
    protected static long heardMs(long lastFetchMs, long lastCaughtUpMs) {
        return Math.max(lastFetchMs, lastCaughtUpMs);
    }

    /**
     * Returns whether metadata that names a leader, or -1, in its epoch says that another broker leads in a later epoch.
     */
    protected static boolean isLedElsewhere(int leader, int itsEpoch, int self, int leaderEpoch) {
        return itsEpoch > leaderEpoch && leader >= 0 && leader != self;
    }
}
