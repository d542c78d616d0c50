package insync.agent.v2_8;

import insync.agent.Adapter;
import insync.agent.Start;
import insync.agent.adapter.ReadScope;
import insync.agent.broker.BrokerStartHook;
import insync.agent.broker.KafkaBroker;
import insync.agent.events.LiveEvents;
import insync.agent.isr.IsFollowerOutOfSyncHook;
import insync.agent.isr.MakeFollowerHook;
import insync.agent.isr.MakeLeaderHook;
import insync.agent.lagpolicy.LagPolicies;
import insync.agent.lagpolicy.LagPolicyConfig;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.logstart.LogStarts;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.agent.weave.Hook;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Kafka 2.8 on ZooKeeper, the KIP's own era: scope "read". A fetch's state is recorded after all of its partitions
 * are read, a replica's state is reset in two steps, and configs are defined in Scala.
 */
public final class BrokerAdapter implements Adapter {
    private static final int ALL_ARGUMENTS = 18;

    @Override
    public String name() {
        return "v2_8";
    }

    @Override
    public List<Hook> hooks() {
        return List.of(
            new DefineConfigHook(),
            new BrokerStartHook(ElementMatchers.isConstructor().and(ElementMatchers.takesArguments(ALL_ARGUMENTS))),
            new FetchMessagesHook(),
            new UpdateFetchStateHook(),
            new ResetReplicaHook(),
            new IsFollowerOutOfSyncHook(),
            new MakeLeaderHook(),
            new MakeFollowerHook(),
            new ShrinkIsrHook(),
            new ExpandIsrHook());
    }

    @Override
    public List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(ReadScope.ownClasses());
        own.addAll(List.of(Access.class, LagPolicies.class, LagPolicyConfig.class, LogStartConfigs.class, LogStarts.class,
            StepDownConfigs.class));
        own.addAll(LiveEvents.ownClasses());
        hooks().forEach(hook -> own.add(hook.advice()));
        return own;
    }

    @Override
    public void prepare(Start start) {
        KafkaBroker.prepare(new Access(), start, List.of());
        LogStarts.prepare(null, start.onDemand(), start.defaultLogStart());
        LagPolicies.prepare(null, start.onDemand());
    }
}
