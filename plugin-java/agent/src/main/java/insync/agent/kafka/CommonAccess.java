package insync.agent.kafka;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.lagpolicy.LagAccess;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;

/** What is read the same way in all versions from 3.9 on. */
public abstract class CommonAccess implements BrokerAccess, LagAccess {

    @Override
    public final MetricsRegistry metrics() {
        return KafkaYammerMetrics.defaultRegistry();
    }

    @Override
    public final TopicPartition partition(Object key) {
        return ((TopicIdPartition) key).topicPartition();
    }
}
