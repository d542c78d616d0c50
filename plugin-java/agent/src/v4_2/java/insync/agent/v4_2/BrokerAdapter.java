package insync.agent.v4_2;

import insync.agent.adapter.CommonAdapter;
import insync.agent.v4_0.JavaController;

/** Adapts to Kafka 4.2 to 4.4: a partition's state and assignment are Java classes. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v4_2", new Access(), new JavaController());
    }
}
