package insync.agent.adapter;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.Adapter;
import insync.agent.config.ConfigHooks;
import insync.agent.isr.FetchParamsHooks;
import insync.agent.isr.FileRecordsHooks;
import insync.agent.isr.KafkaApisHooks;
import insync.agent.isr.KafkaChannelHooks;
import insync.agent.isr.PartitionHooks;
import insync.agent.isr.ReplicaHooks;
import insync.agent.isr.ReplicaManagerHooks;
import insync.agent.isr.RequestChannelHooks;
import insync.agent.isr.RequestHooks;
import insync.agent.isr.SocketServerHooks;
import insync.agent.logstart.LogStartHooks;
import insync.agent.stepdown.broker.AlterPartitionManagerHooks;
import insync.agent.stepdown.broker.AppendHooks;
import insync.agent.stepdown.broker.BrokerBlockingSenderHooks;
import insync.agent.stepdown.broker.ControllerAccess;
import insync.agent.stepdown.broker.HeartbeatHooks;
import insync.agent.stepdown.broker.LeadershipHooks;
import insync.agent.stepdown.broker.ProcessorHooks;
import insync.agent.stepdown.broker.StepDownAccess;
import insync.agent.stepdown.controller.HeartbeatResponseHooks;
import insync.agent.stepdown.controller.PartitionChangeBuilderHooks;
import insync.agent.stepdown.controller.ReplicationControlManagerHooks;
import insync.agent.weave.TypeHooks;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;

/**
 * Provides what the adapters from 3.6 on have in common: the hooks of all features, on classes whose names they pass. The
 * hooks of the step-down are woven into every process, whatever its roles: Kafka's class path has the classes of
 * brokers and controllers, and a process does not use the classes of roles that it does not have.
 */
public abstract class CommonAdapter extends Adapter {

    protected CommonAdapter(String name, StepDownAccess access, ControllerAccess controller) {
        super(name, access, controller);
    }

    @Override
    public final List<TypeHooks> types() {
        List<TypeHooks> all = new ArrayList<>();
        all.addAll(LogStartHooks.types());
        all.addAll(AppendHooks.types());
        all.addAll(List.of(
            ConfigHooks.definition(),
            new ReplicaManagerHooks(),
            new FetchParamsHooks(),
            replica(),
            new PartitionHooks(true),
            new SocketServerHooks(),
            SocketServerHooks.apiVersions(),
            new RequestChannelHooks(),
            new KafkaApisHooks(),
            new FileRecordsHooks(),
            new KafkaChannelHooks(),
            new RequestHooks(),
            AlterPartitionManagerHooks.requests(),
            new HeartbeatResponseHooks(),
            controller.manager(),
            new LeadershipHooks(),
            new ProcessorHooks(),
            ProcessorHooks.selector(),
            new BrokerBlockingSenderHooks(),
            partitionChanges(),
            new ReplicationControlManagerHooks()));
        all.addAll(ConfigHooks.checks());
        all.addAll(HeartbeatHooks.types());
        all.addAll(currentLeader());
        return all;
    }

    /** Returns the hooks on answers that name a partition's leader, which Kafka has from 3.7 on. */
    protected List<TypeHooks> currentLeader() {
        return List.of(LeadershipHooks.currentLeader());
    }

    protected TypeHooks replica() {
        return new ReplicaHooks("updateFetchStateOrThrow");
    }

    /** Returns the hooks on the controller's class that elects a partition's leader. */
    protected TypeHooks partitionChanges() {
        return new PartitionChangeBuilderHooks();
    }

    @Override
    public final MetricsRegistry metrics() {
        return KafkaYammerMetrics.defaultRegistry();
    }
}
