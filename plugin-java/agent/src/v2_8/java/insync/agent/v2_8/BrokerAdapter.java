package insync.agent.v2_8;

import insync.agent.Adapter;
import insync.agent.adapter.CommonAdapter;
import insync.agent.broker.ReplicaManagerHooks;
import insync.agent.kafka.BrokerAccess;
import insync.agent.kafka.LastFetchHooks;
import insync.agent.weave.TypeHooks;
import java.util.List;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Adapts to Kafka 2.8 on ZooKeeper, which supports scope "read". 2.8 records a fetch's state after it reads all of the
 * partitions, resets a replica's state in two steps, and defines configs in Scala.
 */
public final class BrokerAdapter implements Adapter {
    private static final int ALL_ARGUMENTS = 18;

    private final BrokerAccess access = new Access();

    @Override
    public String name() {
        return "v2_8";
    }

    @Override
    public List<TypeHooks> types() {
        return List.of(
            new KafkaConfigHooks(),
            new ReplicaManagerHooks(ElementMatchers.isConstructor().and(ElementMatchers.takesArguments(ALL_ARGUMENTS))),
            new insync.agent.v2_8.ReplicaManagerHooks(),
            new ReplicaHooks(),
            new LastFetchHooks(),
            new PartitionHooks());
    }

    @Override
    public List<Class<?>> ownClasses() {
        List<Class<?>> own = CommonAdapter.classesOfScopeRead();
        own.add(Access.class);
        return own;
    }

    @Override
    public BrokerAccess access() {
        return access;
    }
}
