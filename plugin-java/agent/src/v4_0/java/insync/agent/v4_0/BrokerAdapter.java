package insync.agent.v4_0;

import insync.agent.adapter.BrokerClasses;
import insync.agent.adapter.CommonAdapter;
import insync.agent.isr.FetchMessagesHook;
import insync.agent.v3_9.Access;

/** Kafka 4.0: as 3.9, but for the package of a fetch's parameters. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v4_0", new Access(), new FetchMessagesHook(), new BrokerClasses("kafka.cluster.Replica",
            "org.apache.kafka.common.record.FileRecords", "kafka.network.RequestChannel$Request",
            "kafka.log.UnifiedLog"), new KRaftStepDown());
    }
}
