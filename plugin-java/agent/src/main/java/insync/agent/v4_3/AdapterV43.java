package insync.agent.v4_3;

import insync.agent.Adapter;
import insync.agent.Start;
import insync.agent.kafka.CommonHooks;
import insync.agent.kafka.KafkaBroker;
import insync.agent.weave.Hook;
import java.util.ArrayList;
import java.util.List;

/** Kafka 4.3 and 4.4: Replica is Java, its state a record; Partition and ReplicaManager are Scala. */
public final class AdapterV43 implements Adapter {
    private static final String REPLICA = "org.apache.kafka.server.replica.Replica";
    private static final String FILE_RECORDS = "org.apache.kafka.common.record.internal.FileRecords";

    @Override
    public String name() {
        return "v4_3";
    }

    @Override
    public List<Hook> hooks() {
        List<Hook> hooks = new ArrayList<>(CommonHooks.all(REPLICA, FILE_RECORDS));
        hooks.addAll(List.of(new FetchMessagesHook(), new ShrinkIsrHook(), new ExpandIsrHook()));
        return hooks;
    }

    @Override
    public List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(CommonHooks.ownClasses());
        own.addAll(List.of(Access.class, LeaderView.class));
        hooks().forEach(hook -> own.add(hook.advice()));
        return own;
    }

    @Override
    public void prepare(Start start) {
        KafkaBroker.prepare(new Access(), start);
    }
}
