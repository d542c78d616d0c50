package insync.agent.v1_1;

import com.yammer.metrics.Metrics;
import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.Adapter;
import insync.agent.broker.StepDown;
import insync.agent.config.DynamicConfigs;
import insync.agent.isr.PartitionState;
import insync.agent.isr.PendingReads;
import insync.agent.isr.RequestPart;
import insync.agent.stepdown.broker.BrokerStepDown;
import insync.agent.weave.TypeHooks;
import java.util.List;

/**
 * Adapts to Kafka 1.1 on ZooKeeper: the two features against KAFKA-7104, a bug of 1.1.0 that 1.1.1 mostly fixes.
 * KIP-501 is not supported in this version.
 */
public final class BrokerAdapter extends Adapter {

    public BrokerAdapter() {
        super("v1_1", null, null);
    }

    @Override
    public List<TypeHooks> types() {
        return List.of(new KafkaConfigHooks(), new ReplicaManagerHooks(), ReplicaManagerHooks.results(), ReplicaHooks.bound());
    }

    @Override
    public List<Class<?>> unused() {
        return List.of(BrokerStepDown.class, DynamicConfigs.class, PartitionState.class, PendingReads.class, RequestPart.class,
            StepDown.class);
    }

    @Override
    public MetricsRegistry metrics() {
        return Metrics.defaultRegistry();
    }
}
