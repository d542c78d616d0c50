package insync.agent.v1_1;

import com.yammer.metrics.Metrics;
import insync.agent.Start;
import insync.agent.events.LiveEvents;
import insync.agent.logstart.LogStarts;
import insync.agent.pausepoints.PausePointHooks;
import insync.agent.weave.Hook;
import insync.bridge.BridgeServer;
import insync.core.EventLog;
import insync.core.Insync;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;

/** What happens once per broker: settings told, hooks woven that they ask for, the bridge opened. */
public final class Broker {
    private static final AtomicBoolean BRIDGE_OPEN = new AtomicBoolean();
    private static volatile Start start;
    private static volatile List<Hook> holdPoints = List.of();

    private Broker() { }

    static void prepare(Start begun, List<Hook> points) {
        start = begun;
        holdPoints = begun.holds() ? points : List.of();
    }

    /** A broker's ReplicaManager is made. */
    public static void started(ReplicaManager replicas, KafkaConfig config) {
        Insync insync = Insync.current();
        LiveEvents.started(config);
        View view = new View(replicas, config, start.brokerVersion(), Metrics.defaultRegistry());
        Map<String, Object> settings = EventLog.fields("broker", config.brokerId());
        settings.putAll(view.settings());
        insync.events().emit("settings", settings);
        LogStarts.started(config);
        PausePointHooks.weave(holdPoints, start.onDemand());
        if (start.bridgeFile() != null && BRIDGE_OPEN.compareAndSet(false, true)) {
            BridgeServer.startInBackground(view, insync, start.bridgeFile());
        }
    }
}
