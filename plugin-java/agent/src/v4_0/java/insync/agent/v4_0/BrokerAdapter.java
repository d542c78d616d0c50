package insync.agent.v4_0;

import insync.agent.adapter.CommonAdapter;

/** Adapts to Kafka 4.0: as 3.9, but the classes that send to the controller are Java. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v4_0", new Access(), new JavaController());
    }
}
