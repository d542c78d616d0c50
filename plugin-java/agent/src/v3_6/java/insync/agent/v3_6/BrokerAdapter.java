package insync.agent.v3_6;

import insync.agent.adapter.CommonAdapter;
import insync.agent.isr.ReplicaHooks;
import insync.agent.weave.TypeHooks;
import java.util.List;

/**
 * Adapts to Kafka 3.6: a fetch's state is recorded without a lock, and the controller's election does not know the topic's
 * min.insync.replicas.
 */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v3_6", new Access(), new ScalaController());
    }

    @Override
    protected TypeHooks replica() {
        return new ReplicaHooks("updateFetchState");
    }

    @Override
    protected List<TypeHooks> currentLeader() {
        return List.of();
    }

    @Override
    protected TypeHooks partitionChanges() {
        return new PartitionChangeBuilderHooks();
    }
}
