package insync.agent.v3_9;

import insync.agent.adapter.BrokerClasses;
import insync.agent.adapter.CommonAdapter;

/** Adapts to Kafka 3.9: replica, log, assignment and metadata cache are Scala. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v3_9", new BrokerClasses("kafka.cluster.Replica", "kafka.log.UnifiedLog"), new Access(), new ScalaController());
    }
}
