package insync.agent.stepdown.broker;

import insync.agent.stepdown.controller.BalanceHook;
import insync.agent.stepdown.controller.Elections;
import insync.agent.stepdown.controller.NewLeaderHook;
import insync.agent.stepdown.controller.Relief;
import insync.agent.stepdown.controller.ReliefHook;
import insync.agent.weave.Hook;
import java.util.ArrayList;
import java.util.List;

/**
 * The hooks of solution 2, and the classes behind them. They are woven into every process, whatever its roles: Kafka's
 * class path holds brokers' and controllers' classes alike, and what a role does not run stays unused.
 */
public final class StepDownHooks {

    private StepDownHooks() { }

    public static List<Hook> all(StepDownAccess access) {
        return List.of(
            new StepDownStartHook(),
            new StepDownStopHook(),
            new ControllerLinkHook(access.alterPartitionManager(), access.link()),
            new IsrAnswerHook(access.alterPartitionManager()),
            new LeadingHook(),
            new LosingLeadHook(),
            new RefuseAppendHook(),
            new RefuseFetchHook(),
            new RefuseAckHook(),
            new ProcessorHook(),
            new SelectorHook(),
            new FetcherHook(),
            new OutgoingFetchHook(),
            new FetcherEndHook(),
            new ReliefHook(),
            new NewLeaderHook(),
            new BalanceHook());
    }

    /** The classes that refer to the broker's. */
    public static List<Class<?>> ownClasses(StepDownAccess access) {
        List<Class<?>> own = new ArrayList<>();
        for (Class<?> each = access.getClass(); each != Object.class; each = each.getSuperclass()) {
            own.add(each);
        }
        own.addAll(access.parts());
        own.addAll(List.of(access.link(), BrokerStepDown.class, ConnectionEnd.class, Elections.class, LedPartition.class,
            OverdueLeader.class, ProcessorCarrier.class, ReassignedElection.class, Relief.class, Relinquisher.class,
            StepDownAccess.class, StepDownConfigs.class, StepDownMetrics.class, StepDowns.class, StuckClients.class));
        return own;
    }
}
