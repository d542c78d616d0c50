package insync.agent.v3_7;

import insync.agent.adapter.CommonAdapter;
import insync.agent.config.ConfigHooks;
import insync.agent.v3_6.Access;
import insync.agent.v3_6.ScalaController;
import insync.agent.weave.TypeHooks;

/** Adapts to Kafka 3.7 and 3.8: as 3.9, but configs are defined in Scala. */
public final class BrokerAdapter extends CommonAdapter {

    public BrokerAdapter() {
        super("v3_7", new Access(), new ScalaController());
    }

    @Override
    protected TypeHooks configs() {
        return ConfigHooks.definitionInScala();
    }
}
