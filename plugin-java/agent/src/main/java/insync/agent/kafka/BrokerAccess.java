package insync.agent.kafka;

import insync.core.BrokerView;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;

/** What must be read from a broker by types that differ from version to version; each adapter brings one. */
public interface BrokerAccess {

    /**
     * A remote replica's fetch state.
     *
     * @param replica Kafka's Replica
     * @return leo, last_caught_up_ms and last_fetch_ms
     */
    Map<String, Object> fetchState(Object replica);

    /** What the bridge may see of a broker. */
    BrokerView view(ReplicaManager replicas, KafkaConfig config, String brokerVersion);
}
