package insync.agent.v4_3;

import insync.agent.Adapter;
import insync.agent.weave.Hook;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Kafka 4.3 and 4.4: Replica is Java, its state a record; Partition and ReplicaManager are Scala. */
public final class AdapterV43 implements Adapter {

    @Override
    public String name() {
        return "v4_3";
    }

    @Override
    public List<Hook> hooks() {
        return List.of(
            new DefineConfigHook(),
            new BrokerStartHook(),
            new FetchMessagesHook(),
            new UpdateFetchStateHook(),
            new ResetReplicaStateHook(),
            new IsFollowerOutOfSyncHook(),
            new MakeLeaderHook(),
            new MakeFollowerHook(),
            new ShrinkIsrHook(),
            new ExpandIsrHook());
    }

    @Override
    public List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(List.of(
            FollowerCarrier.class, KafkaBroker.class, KafkaClock.class, KafkaFollower.class, LeaderView.class,
            Metrics.class, PartitionEvents.class, PendingFetch.class, PendingReads.class, Settings.class));
        hooks().forEach(hook -> own.add(hook.advice()));
        return own;
    }

    @Override
    public void prepare(String brokerVersion, Path bridgeFile) {
        KafkaBroker.prepare(brokerVersion, bridgeFile);
    }
}
