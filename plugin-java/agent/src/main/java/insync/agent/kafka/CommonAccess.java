package insync.agent.kafka;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.stepdown.broker.StepDownAccess;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;

/** Implements the access that is the same in all versions from 3.6 on. */
public abstract class CommonAccess implements StepDownAccess {

    @Override
    public final MetricsRegistry metrics() {
        return KafkaYammerMetrics.defaultRegistry();
    }

    @Override
    public final TopicPartition partition(Object key) {
        return ((TopicIdPartition) key).topicPartition();
    }

    /**
     * Returns whether another broker leads in a later epoch, according to metadata with a leader, or -1, and its epoch.
     */
    protected static boolean isLedElsewhere(int leader, int itsEpoch, int self, int leaderEpoch) {
        return itsEpoch > leaderEpoch && leader >= 0 && leader != self;
    }
}
