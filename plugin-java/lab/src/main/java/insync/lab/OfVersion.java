package insync.lab;

import insync.agent.weave.TypeHooks;
import insync.bridge.BrokerView;
import java.util.List;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;

/** Provides what is compiled against a version whose classes differ. */
public interface OfVersion {

    /** Finds by name what is compiled against Kafka 1.1. */
    static OfVersion of11() {
        try {
            return (OfVersion) Class.forName("insync.lab.v1_1.Kafka11").getConstructor().newInstance();
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException("the lab's jar is broken", broken);
        }
    }

    List<TypeHooks> pausePoints();

    BrokerView view(ReplicaManager replicas, KafkaConfig config);
}
