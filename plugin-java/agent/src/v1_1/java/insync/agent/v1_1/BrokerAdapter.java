package insync.agent.v1_1;

import com.yammer.metrics.Metrics;
import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.Adapter;
import insync.agent.broker.BrokerLifecycle;
import insync.agent.isr.PendingReadsConfig;
import insync.agent.kafka.FetchState.LastFetchHooks;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.logstart.LogStartHooks;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.ArrayList;
import java.util.List;

/**
 * Adapts to Kafka 1.1 on ZooKeeper: the two features against KAFKA-7104, a bug of 1.1.0 that 1.1.1 mostly fixes.
 * KIP-501 is not supported in this version.
 */
public final class BrokerAdapter implements Adapter {
    private final LogStartHooks logStart = new LogStartHooks(
        List.of(ReplicaHooks.bound()), ReplicaManagerHooks.answersAsRead());

    @Override
    public String name() {
        return "v1_1";
    }

    @Override
    public List<TypeHooks> types() {
        return List.of(new KafkaConfigHooks(), new ReplicaManagerHooks(), new LastFetchHooks());
    }

    @Override
    public List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(BrokerLifecycle.ownClasses());
        own.addAll(List.of(FollowerAnswers.class, KafkaConfigHooks.class, LogStartConfigs.class,
            PendingReadsConfig.class, ReplicaHooks.class));
        return own;
    }

    @Override
    public MetricsRegistry metrics() {
        return Metrics.defaultRegistry();
    }

    @Override
    public LogStartHooks logStart() {
        return logStart;
    }
}
