package insync.agent.v4_1;

import insync.agent.adapter.CommonAdapter;
import insync.agent.v4_0.JavaController;

/** Adapts to Kafka 4.1: replica, log and metadata cache are Java classes, a partition's assignment is Scala. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v4_1", new Access(), new JavaController());
    }
}
