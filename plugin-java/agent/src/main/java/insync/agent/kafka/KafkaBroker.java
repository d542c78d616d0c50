package insync.agent.kafka;

import insync.agent.Start;
import insync.agent.kafka.lagpolicy.LagPolicies;
import insync.bridge.BridgeServer;
import insync.core.BrokerView;
import insync.core.EventLog;
import insync.core.Insync;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.utils.Time;

/** What happens once per broker: settings told, metrics registered, the bridge opened. */
public final class KafkaBroker {
    private static final AtomicBoolean BRIDGE_OPEN = new AtomicBoolean();
    private static volatile BrokerAccess access;
    private static volatile String brokerVersion = "unknown";
    private static volatile Path bridgeFile;

    private KafkaBroker() { }

    /** Called by the version's adapter before weaving. */
    public static void prepare(BrokerAccess adapted, Start start) {
        access = adapted;
        brokerVersion = start.brokerVersion();
        bridgeFile = start.bridgeFile();
        Settings.prepare(start.scopes(), start.defaultScope());
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
        Map<String, Object> settings = EventLog.fields("broker", config.brokerId());
        settings.putAll(Settings.all(config));
        insync.events().emit("settings", settings);
        Metrics.register(access.metrics(), insync);
        LagPolicies.started(config);
        openBridge(new LeaderView(access, replicas, config, brokerVersion), insync);
        return Settings.isOn(config, Settings.READ)
            ? new PendingReads(replicas, new KafkaClock(time), insync, Settings.lagTimeMaxMs(config)) : null;
    }

    /** One bridge per JVM, on a thread of its own so that the broker's start does not wait for it. */
    private static void openBridge(BrokerView view, Insync insync) {
        if (bridgeFile != null && BRIDGE_OPEN.compareAndSet(false, true)) {
            BridgeServer.startInBackground(view, insync, bridgeFile);
        }
    }
}
