package insync.agent.adapter;

import insync.agent.Adapter;
import insync.agent.Start;
import insync.agent.broker.KafkaBroker;
import insync.agent.events.LiveEvents;
import insync.agent.kafka.CommonAccess;
import insync.agent.lagpolicy.LagAccess;
import insync.agent.lagpolicy.LagByMessagesHook;
import insync.agent.lagpolicy.LagPolicies;
import insync.agent.lagpolicy.LagPolicyConfig;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.logstart.LogStartHooks;
import insync.agent.logstart.LogStarts;
import insync.agent.pausepoints.Holding;
import insync.agent.stepdown.broker.StepDownAccess;
import insync.agent.stepdown.broker.StepDownHooks;
import insync.agent.stepdown.broker.StepDowns;
import insync.agent.weave.Hook;
import java.util.ArrayList;
import java.util.List;

/** What the adapters from 3.9 on have in common: the hooks of both scopes, at classes whose names they give. */
public abstract class CommonAdapter implements Adapter {
    private final String name;
    private final CommonAccess access;
    private final StepDownAccess stepDown;
    private final List<Hook> hooks;
    private final LogStartHooks logStart;
    private final List<Hook> holdPoints;

    /**
     * @param name the adapter's row in broker-versions.properties
     * @param fetchMessages the hook on ReplicaManager.fetchMessages, whose arguments moved with 4.0
     * @param classes the names of the broker's classes that moved
     * @param stepDown what solution 2 needs
     */
    protected CommonAdapter(String name, CommonAccess access, Hook fetchMessages, BrokerClasses classes,
                            StepDownAccess stepDown) {
        this.name = name;
        this.access = access;
        this.stepDown = stepDown;
        this.hooks = new ArrayList<>(CommonHooks.all(classes));
        this.hooks.add(fetchMessages);
        this.hooks.addAll(StepDownHooks.all(stepDown));
        this.logStart = LogStartHooks.since39(classes.log());
        this.holdPoints = Holding.since39(classes.log());
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final List<Hook> hooks() {
        return List.copyOf(hooks);
    }

    @Override
    public final List<Hook> hooksOnDemand() {
        List<Hook> all = new ArrayList<>(logStart.all());
        all.addAll(holdPoints);
        all.add(new LagByMessagesHook());
        return all;
    }

    @Override
    public final List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(CommonHooks.ownClasses());
        for (Class<?> each = access.getClass(); each != Object.class; each = each.getSuperclass()) {
            own.add(each);
        }
        own.addAll(List.of(LagAccess.class, LagPolicies.class, LagPolicyConfig.class));
        own.addAll(StepDownHooks.ownClasses(stepDown));
        own.addAll(LiveEvents.ownClasses());
        own.addAll(List.of(Holding.class, LogStartConfigs.class, LogStarts.class));
        hooks.forEach(hook -> own.add(hook.advice()));
        hooksOnDemand().forEach(hook -> own.add(hook.advice()));
        return own;
    }

    @Override
    public final void prepare(Start start) {
        KafkaBroker.prepare(access, start, holdPoints);
        LagPolicies.prepare(access, start.onDemand());
        StepDowns.prepare(stepDown);
        LogStarts.prepare(logStart, start.onDemand(), start.defaultLogStart());
    }
}
