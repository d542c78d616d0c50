package insync.agent.adapter;

import insync.agent.broker.BrokerStartHook;
import insync.agent.config.CheckConfigHook;
import insync.agent.config.DefineConfigHook;
import insync.agent.isr.ConnectionLostHook;
import insync.agent.isr.ExpandIsrHook;
import insync.agent.isr.IsFollowerOutOfSyncHook;
import insync.agent.isr.MakeFollowerHook;
import insync.agent.isr.MakeLeaderHook;
import insync.agent.isr.NamedPartitions;
import insync.agent.isr.ReadForFollowerHook;
import insync.agent.isr.RequestArrivalHook;
import insync.agent.isr.RequestCarrier;
import insync.agent.isr.RequestEndHook;
import insync.agent.isr.RequestLife;
import insync.agent.isr.ResetReplicaStateHook;
import insync.agent.isr.ServeFetchHook;
import insync.agent.isr.ShrinkIsrHook;
import insync.agent.isr.SocketServerStartHook;
import insync.agent.isr.SocketServerStopHook;
import insync.agent.isr.SocketWriteHook;
import insync.agent.isr.TransferHook;
import insync.agent.isr.UpdateFetchStateHook;
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
