package insync.lab.view;

import insync.agent.Features;
import insync.agent.broker.BrokerLifecycle;
import insync.agent.config.BrokerConfigs;
import insync.bridge.BrokerView;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;

/** Shows the bridge what is the same in all versions. Reads only, takes no lock. */
public abstract class KafkaView implements BrokerView {
    protected final ReplicaManager replicas;
    protected final KafkaConfig config;

    protected KafkaView(ReplicaManager replicas, KafkaConfig config) {
        this.replicas = replicas;
        this.config = config;
    }

    @Override
    public final int brokerId() {
        return config.brokerId();
    }

    @Override
    public final String brokerVersion() {
        return Features.current().brokerVersion;
    }

    @Override
    public final Map<String, Object> settings() {
        return BrokerConfigs.all(config);
    }

    @Override
    public final Map<String, Object> fetchers() {
        return FetcherThreads.now(BrokerLifecycle.registry());
    }
}
