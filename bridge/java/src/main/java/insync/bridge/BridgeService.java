package insync.bridge;

import insync.bridge.pausepoints.PausePoints;
import insync.core.Insync;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Implements {@link BridgeApi} with a view of the broker. Takes none of Kafka's locks. */
public final class BridgeService implements BridgeApi {
    /** Increased with every change of the contract that an older client would misread. */
    public static final int API_VERSION = 3;

    private final BrokerView broker;
    private final Insync insync;
    private final PausePoints pausePoints;
    /** Connections that exceeded a bound. */
    final LongAdder refused = new LongAdder();

    public BridgeService(BrokerView broker, Insync insync, PausePoints pausePoints) {
        this.broker = broker;
        this.insync = insync;
        this.pausePoints = pausePoints;
    }

    @Override
    public int apiVersion() {
        return API_VERSION;
    }

    @Override
    public int brokerId() {
        return broker.brokerId();
    }

    @Override
    public String brokerVersion() {
        return broker.brokerVersion();
    }

    @Override
    public String settings() {
        return Json.of(broker.settings());
    }

    @Override
    public String counters() {
        Map<String, Object> all = insync.stats.toMap();
        all.put("errors", insync.failures.count());
        all.put("last_error", insync.failures.last());
        all.put("events_dropped", insync.events.dropped());
        all.put("events_published", insync.events.published().written());
        all.put("events_not_published", insync.events.published().dropped());
        all.put("bridge_refused", refused.sum());
        all.put("step_downs", insync.stepDowns.toMap());
        return Json.of(all);
    }

    @Override
    public String ledPartitions(String topic) {
        return Json.of(broker.ledPartitions(topic));
    }

    @Override
    public String replicas(String topic, int partition) {
        return Json.of(broker.replicas(topic, partition));
    }

    @Override
    public String ownReplica(String topic, int partition) {
        return Json.of(broker.ownReplica(topic, partition));
    }

    @Override
    public String fetchers() {
        Map<String, Object> all = new LinkedHashMap<>(broker.fetchers());
        all.putAll(insync.logStarts.toMap());
        return Json.of(all);
    }

    @Override
    public void hold(String point, int replica, String partition, int maxMs) {
        pausePoints.pause(point, replica, partition, maxMs);
    }

    @Override
    public void release(String point) {
        pausePoints.release(point);
    }

    @Override
    public String holds() {
        return Json.of(pausePoints.toMap());
    }
}
