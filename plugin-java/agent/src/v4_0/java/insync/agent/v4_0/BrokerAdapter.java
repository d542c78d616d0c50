package insync.agent.v4_0;

import insync.agent.adapter.CommonAdapter;
import insync.agent.adapter.KafkaClasses;

/** Adapts to Kafka 4.0: as 3.9, but the classes that send to the controller are Java. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v4_0", new KafkaClasses("kafka.cluster.Replica", "kafka.log.UnifiedLog"), new Access(),
            new JavaController());
    }
}
