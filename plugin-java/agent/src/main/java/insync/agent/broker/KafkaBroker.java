package insync.agent.broker;

import insync.agent.Start;
import insync.agent.events.LiveEvents;
import insync.agent.isr.PendingReads;
import insync.agent.isr.Settings;
import insync.agent.kafka.BrokerAccess;
import insync.agent.kafka.KafkaClock;
import insync.agent.lagpolicy.LagPolicies;
import insync.agent.logstart.LogStarts;
import insync.agent.pausepoints.PausePointHooks;
import insync.agent.weave.Hook;
import insync.bridge.BridgeServer;
import insync.core.BrokerView;
import insync.core.EventLog;
import insync.core.Insync;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.utils.Time;

/** What happens once per broker: settings told, metrics registered, the bridge opened. */
public final class KafkaBroker {
    private static final AtomicBoolean BRIDGE_OPEN = new AtomicBoolean();
    private static volatile BrokerAccess access;
    private static volatile Start start;
    private static volatile List<Hook> holdPoints = List.of();

    private KafkaBroker() { }

    /**
     * Called by the version's adapter before weaving.
     *
     * @param points where tests may stop threads, if the agent is told so
     */
    public static void prepare(BrokerAccess adapted, Start begun, List<Hook> points) {
        access = adapted;
        start = begun;
        holdPoints = begun.holds() ? points : List.of();
        Settings.prepare(begun.scopes(), begun.defaultScope());
    }

    /** What this version brings to read a broker. */
    public static BrokerAccess access() {
        return access;
    }

    /**
     * @param replicas the new broker's ReplicaManager
     * @param config the broker's settings
     * @param time the broker's clock
     * @return what the hot path of scope "read" needs, or null where that is off
     */
    public static PendingReads started(ReplicaManager replicas, KafkaConfig config, Time time) {
        Insync insync = Insync.current();
        LiveEvents.started(config);
        Map<String, Object> settings = EventLog.fields("broker", config.brokerId());
        settings.putAll(Settings.all(config));
        insync.events().emit("settings", settings);
        Metrics.register(access.metrics(), insync);
        LagPolicies.started(config);
        LogStarts.started(config);
        PausePointHooks.weave(holdPoints, start.onDemand());
        openBridge(new LeaderView(access, replicas, config, start.brokerVersion()), insync);
        return Settings.isOn(config, Settings.READ)
            ? new PendingReads(replicas, new KafkaClock(time), insync, Settings.lagTimeMaxMs(config)) : null;
    }

    /** One bridge per JVM, on a thread of its own so that the broker's start does not wait for it. */
    private static void openBridge(BrokerView view, Insync insync) {
        if (start.bridgeFile() != null && BRIDGE_OPEN.compareAndSet(false, true)) {
            BridgeServer.startInBackground(view, insync, start.bridgeFile());
        }
    }
}
