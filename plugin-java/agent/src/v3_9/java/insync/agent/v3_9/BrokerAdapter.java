package insync.agent.v3_9;

import insync.agent.adapter.CommonAdapter;
import insync.agent.v3_6.Access;
import insync.agent.v3_6.ScalaController;

/** Adapts to Kafka 3.9: replica, log, assignment and metadata cache are Scala classes. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v3_9", new Access(), new ScalaController());
    }
}
