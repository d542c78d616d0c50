package insync.agent.v1_1;

import insync.agent.Adapter;
import insync.agent.Start;
import insync.agent.events.LiveEvents;
import insync.agent.kafka.Fetchers;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.logstart.LogStartHooks;
import insync.agent.logstart.LogStarts;
import insync.agent.pausepoints.ReplicaFetcherThreadHooks;
import insync.agent.pausepoints.PausePointHooks;
import insync.agent.weave.Hook;
import insync.agent.weave.TypeHooks;
import java.util.ArrayList;
import java.util.List;

/**
 * Kafka 1.1 on ZooKeeper: the two features against KAFKA-7104, which 1.1.0 has and 1.1.1 has healed for the most part.
 * KIP-501 is not for this version.
 */
public final class BrokerAdapter implements Adapter {
    private final LogStartHooks logStart = new LogStartHooks(
        List.of(ReplicaHooks.bound()), List.of(PartitionHooks.keepAnswer(), LogReadResultHooks.snapshot()));
    private final List<Hook> pausePoints = new ArrayList<>(PartitionHooks.pausePoints());

    public BrokerAdapter() {
        pausePoints.addAll(List.of(ReplicaManagerHooks.readFromLocalLog(), ReplicaHooks.logStartRead(),
            ReplicaFetcherThreadHooks.received()));
    }

    @Override
    public String name() {
        return "v1_1";
    }

    @Override
    public List<TypeHooks> types() {
        return List.of(new KafkaConfigHooks(), new ReplicaManagerHooks());
    }

    @Override
    public List<Hook> hooksOnDemand() {
        List<Hook> all = new ArrayList<>(logStart.all());
        all.addAll(pausePoints);
        return all;
    }

    @Override
    public List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(List.of(Broker.class, Fetchers.class, PausePointHooks.class, ReplicaHooks.class,
            LogStartConfigs.class, LogStarts.class, Unsupported.class, View.class));
        own.addAll(LiveEvents.ownClasses());
        return own;
    }

    @Override
    public void prepare(Start start) {
        LogStarts.prepare(logStart, start.onDemand(), start.defaultLogStart());
        Broker.prepare(start, pausePoints);
    }
}
