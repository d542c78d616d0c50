package insync.agent.v4_2;

import insync.agent.adapter.BrokerClasses;
import insync.agent.adapter.CommonAdapter;
import insync.agent.adapter.Moved;
import insync.agent.isr.FetchMessagesHook;

/** Kafka 4.2 to 4.4: a partition's state and assignment are Java. 4.3 moved FileRecords, 4.4 moved Request. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v4_2", new Access(), new FetchMessagesHook(), new BrokerClasses("org.apache.kafka.server.replica.Replica",
            Moved.to("org.apache.kafka.common.record.FileRecords", "org.apache.kafka.common.record.internal.FileRecords"),
            Moved.to("kafka.network.RequestChannel$Request", "org.apache.kafka.network.Request"),
            "org.apache.kafka.storage.internals.log.UnifiedLog"), new KRaftStepDown());
    }
}
