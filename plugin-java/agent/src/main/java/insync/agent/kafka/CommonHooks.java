package insync.agent.kafka;

import insync.agent.weave.Hook;
import java.util.ArrayList;
import java.util.List;

/** The hooks that are the same in all versions from 3.9 on, and the classes behind them. */
final class CommonHooks {

    private CommonHooks() { }

    static List<Hook> all(BrokerClasses classes) {
        return List.of(
            new DefineConfigHook(),
            new CheckConfigHook(),
            new BrokerStartHook(),
            new UpdateFetchStateHook(classes.replica()),
            new ResetReplicaStateHook(classes.replica()),
            new IsFollowerOutOfSyncHook(),
            new MakeLeaderHook(),
            new MakeFollowerHook(),
            new ShrinkIsrHook(),
            new ExpandIsrHook(),
            new SocketServerStartHook(),
            new SocketServerStopHook(),
            new RequestArrivalHook(),
            new ServeFetchHook(),
            new ReadForFollowerHook(),
            new TransferHook(classes.fileRecords()),
            new SocketWriteHook(),
            new RequestEndHook(classes.request()),
            new ConnectionLostHook());
    }

    /** The classes that refer to the broker's. */
    static List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(ReadScope.ownClasses());
        own.addAll(List.of(NamedPartitions.class, RequestCarrier.class, RequestLife.class));
        return own;
    }
}
