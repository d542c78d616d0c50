package insync.agent.isr;

import insync.agent.weave.TypeHooks;

/** Weaves an interface into a fetch's parameters, a class that moved in 4.0. */
public final class FetchParamsHooks extends TypeHooks {

    public FetchParamsHooks() {
        super(moved("org.apache.kafka.storage.internals.log.FetchParams",
            "org.apache.kafka.server.storage.log.FetchParams"));
        getter("insync$replicaId", int.class, "replicaId");
        getter("insync$maxWaitMs", long.class, "maxWaitMs");
        implement(Params.class);
    }

    /** Gives access to a fetch's parameters. */
    public interface Params {

        /** Kafka's own method. */
        boolean isFromFollower();

        int insync$replicaId();

        /** Returns how long the fetch may wait for records. */
        long insync$maxWaitMs();
    }
}
