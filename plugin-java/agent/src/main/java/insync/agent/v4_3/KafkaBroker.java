package insync.agent.v4_3;

import insync.bridge.BridgeServer;
import insync.core.EventLog;
import insync.core.Insync;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.utils.Time;

/** What happens once per broker: settings told, metrics registered, the bridge opened. */
public final class KafkaBroker {
    private static final AtomicBoolean BRIDGE_OPEN = new AtomicBoolean();
    private static volatile String brokerVersion = "unknown";
    private static volatile Path bridgeFile;

    private KafkaBroker() { }

    static void prepare(String version, Path file) {
        brokerVersion = version;
        bridgeFile = file;
    }

    /**
     * @param replicas the new broker's ReplicaManager
     * @param config the broker's settings
     * @param time the broker's clock
     * @return what the hot path needs, or null with the feature off
     */
    public static PendingReads started(ReplicaManager replicas, KafkaConfig config, Time time) {
        Insync insync = Insync.current();
        boolean enabled = Settings.pendingReads(config);
        insync.events().emit("settings", EventLog.fields("broker", config.brokerId(),
            Settings.PENDING_READS, enabled, "replica.lag.time.max.ms", config.replicaLagTimeMaxMs()));
        Metrics.register(insync);
        PendingReads pendingReads = enabled
            ? new PendingReads(replicas, new KafkaClock(time), insync, config.replicaLagTimeMaxMs()) : null;
        openBridge(new LeaderView(replicas, config, brokerVersion), insync);
        return pendingReads;
    }

    /** One bridge per JVM, on a thread of its own so that the broker's start does not wait for it. */
    private static void openBridge(LeaderView view, Insync insync) {
        if (bridgeFile != null && BRIDGE_OPEN.compareAndSet(false, true)) {
            BridgeServer.startInBackground(view, insync, bridgeFile);
        }
    }
}
