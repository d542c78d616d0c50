package insync.agent.v2_8;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.Adapter;
import insync.agent.broker.StepDown;
import insync.agent.config.ConfigHooks;
import insync.agent.isr.PartitionHooks;
import insync.agent.isr.RequestPart;
import insync.agent.stepdown.broker.BrokerStepDown;
import insync.agent.weave.TypeHooks;
import java.util.List;
import kafka.metrics.KafkaYammerMetrics;

/**
 * Adapts to Kafka 2.8 on ZooKeeper, which supports scope "read". 2.8 records a fetch's state after it reads all of the
 * partitions, resets a replica's state in two steps, and defines configs in Scala.
 */
public final class BrokerAdapter extends Adapter {

    public BrokerAdapter() {
        super("v2_8", new Access(), null);
    }

    @Override
    public List<TypeHooks> types() {
        return List.of(
            ConfigHooks.definition(),
            new ReplicaManagerHooks(),
            new ReplicaHooks(),
            new PartitionHooks(false));
    }

    @Override
    public List<Class<?>> unused() {
        return List.of(BrokerStepDown.class, RequestPart.class, StepDown.class);
    }

    @Override
    public MetricsRegistry metrics() {
        return KafkaYammerMetrics.defaultRegistry();
    }
}
