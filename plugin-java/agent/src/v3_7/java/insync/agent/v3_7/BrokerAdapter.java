package insync.agent.v3_7;

import insync.agent.adapter.CommonAdapter;
import insync.agent.v3_6.Access;
import insync.agent.v3_6.ScalaController;

/** Adapts to Kafka 3.7 to 3.9: replica, log, assignment and metadata cache are Scala classes. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v3_7", new Access(), new ScalaController());
    }
}
