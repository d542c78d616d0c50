package insync.agent.kafka;

import insync.agent.weave.Hook;
import java.util.List;

/** The hooks that are the same in all versions from 3.9 on, and the classes behind them. */
public final class CommonHooks {

    private CommonHooks() { }

    /**
     * @param replica the class of a remote replica
     * @param fileRecords the class of records in a file
     */
    public static List<Hook> all(String replica, String fileRecords) {
        return List.of(
            new DefineConfigHook(),
            new BrokerStartHook(),
            new UpdateFetchStateHook(replica),
            new ResetReplicaStateHook(replica),
            new IsFollowerOutOfSyncHook(),
            new MakeLeaderHook(),
            new MakeFollowerHook(),
            new SocketServerStartHook(),
            new RequestArrivalHook(),
            new ServeFetchHook(),
            new ReadForFollowerHook(),
            new TransferHook(fileRecords),
            new SocketWriteHook(),
            new RequestEndHook(),
            new ConnectionLostHook());
    }

    /** The classes that refer to the broker's. */
    public static List<Class<?>> ownClasses() {
        return List.of(FollowerFetch.class, Followers.class, KafkaBroker.class, KafkaClock.class, KafkaFollower.class,
            Metrics.class, NamedPartitions.class, PartitionEvents.class, PendingFetch.class, PendingReads.class,
            RequestLife.class, Settings.class);
    }
}
