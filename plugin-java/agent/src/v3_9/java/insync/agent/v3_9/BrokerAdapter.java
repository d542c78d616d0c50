package insync.agent.v3_9;

import insync.agent.adapter.BrokerClasses;
import insync.agent.adapter.CommonAdapter;

/** Kafka 3.9: all of a partition is Scala, and a fetch's parameters are where they were before 4.0. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v3_9", new Access(), new FetchMessagesHook(), new BrokerClasses("kafka.cluster.Replica",
            "org.apache.kafka.common.record.FileRecords", "kafka.network.RequestChannel$Request",
            "kafka.log.UnifiedLog"), new KRaftStepDown());
    }
}
