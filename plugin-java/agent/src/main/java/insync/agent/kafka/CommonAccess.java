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
}
