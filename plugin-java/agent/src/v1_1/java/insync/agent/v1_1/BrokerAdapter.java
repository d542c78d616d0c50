package insync.agent.v1_1;

import insync.agent.Adapter;
import insync.agent.Start;
import insync.agent.events.LiveEvents;
import insync.agent.kafka.Fetchers;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.logstart.LogStartHooks;
import insync.agent.logstart.LogStarts;
import insync.agent.pausepoints.FollowerReceivedHook;
import insync.agent.pausepoints.Holding;
import insync.agent.weave.Hook;
import java.util.ArrayList;
import java.util.List;

/**
 * Kafka 1.1 on ZooKeeper: the two features against KAFKA-7104, which 1.1.0 has and 1.1.1 has healed for the most part.
 * KIP-501 is not for this version.
 */
public final class BrokerAdapter implements Adapter {
    private final LogStartHooks logStart = new LogStartHooks(
        List.of(new BoundHook()), List.of(new KeepAnswerHook(), new AnswerHook()));
    private final List<Hook> holdPoints = List.of(new LeaderReadHook(), new LeaderRecordedHook(),
        new ReadFromLocalLogHook(), new LogStartReadHook(), new FollowerReceivedHook());

    @Override
    public String name() {
        return "v1_1";
    }

    @Override
    public List<Hook> hooks() {
        return List.of(new DefineConfigHook(), new BrokerStartHook());
    }

    @Override
    public List<Hook> hooksOnDemand() {
        List<Hook> all = new ArrayList<>(logStart.all());
        all.addAll(holdPoints);
        return all;
    }

    @Override
    public List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(List.of(Broker.class, Fetchers.class, FollowerLog.class, Holding.class,
            LogStartConfigs.class, LogStarts.class, Unsupported.class, View.class));
        own.addAll(LiveEvents.ownClasses());
        hooks().forEach(hook -> own.add(hook.advice()));
        hooksOnDemand().forEach(hook -> own.add(hook.advice()));
        return own;
    }

    @Override
    public void prepare(Start start) {
        LogStarts.prepare(logStart, start.onDemand(), start.defaultLogStart());
        Broker.prepare(start, holdPoints);
    }
}
