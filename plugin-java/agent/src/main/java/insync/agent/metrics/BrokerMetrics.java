package insync.agent.metrics;

import com.yammer.metrics.core.Histogram;
import com.yammer.metrics.core.Meter;
import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.Features;
import insync.agent.broker.Brokers;
import insync.agent.isr.PendingReadsConfig;
import insync.core.Insync;
import insync.core.isr.Hold;
import insync.core.isr.Stats;
import insync.core.logstart.LogStartStats;
import insync.core.stepdown.Decision;
import insync.core.stepdown.Outcome;
import insync.core.stepdown.Reason;
import insync.core.stepdown.StepDownListener;
import insync.core.stepdown.StepDownStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Keeps the metrics of this JVM's brokers in Kafka's registry. Gauges read counters when they are asked. Meters are moved to
 * their counters every second while a scope is on, so no fetch marks one.
 */
public final class BrokerMetrics implements Hold.Listener, StepDownListener {
    private static final String HOLDS = "holds";
    private static final String STEP_DOWNS = "step-downs";

    private final KafkaRegistry registry;
    private final Insync insync;
    private final List<CountedMeter> meters = new ArrayList<>();
    private Histogram holdTime;
    private Histogram stepDownTime;

    private BrokerMetrics(MetricsRegistry registry, Insync insync) {
        this.registry = new KafkaRegistry(registry);
        this.insync = insync;
    }

    /** Returns our classes of metrics that refer to the broker's, for every version. */
    public static List<Class<?>> ownClasses() {
        return List.of(BrokerMetrics.class, KafkaRegistry.class);
    }

    /** Registers what the version of a broker that starts supports, and receives holds and step-downs from now on. */
    public static BrokerMetrics register(MetricsRegistry registry, Insync insync) {
        Features features = Features.current();
        BrokerMetrics made = new BrokerMetrics(registry, insync);
        registerAgent(registry, insync);
        if (!features.scopes().isEmpty()) {
            made.registerPendingReads(features.scopes());
        }
        if (features.supportsStepDown()) {
            made.registerStepDown();
        }
        if (features.supportsLogStart()) {
            made.registerLogStart();
        }
        return made;
    }

    /** Registers the state of the agent; for brokers and controllers. */
    static void registerAgent(MetricsRegistry registry, Insync insync) {
        KafkaRegistry all = new KafkaRegistry(registry);
        all.gauge(KafkaRegistry.name(AgentMetric.ENABLED), () -> Brokers.anyKeepsInSync() ? 1 : 0);
        all.gauge(KafkaRegistry.name(AgentMetric.SCOPE), Brokers::scope);
        all.gauge(KafkaRegistry.name(AgentMetric.STEP_DOWN_ENABLED), () -> Brokers.anyStepDown() ? 1 : 0);
        all.gauge(KafkaRegistry.name(AgentMetric.VERSION), Features.current()::agentVersion);
        all.gauge(KafkaRegistry.name(AgentMetric.ADAPTER), Features.current()::adapter);
        all.gauge(KafkaRegistry.name(AgentMetric.DISABLED), () -> Insync.isDisabled() ? 1 : 0);
        all.gauge(KafkaRegistry.name(AgentMetric.ERRORS), insync.failures()::count);
        all.gauge(KafkaRegistry.name(AgentMetric.EVENTS_DROPPED), insync.events()::dropped);
        all.gauge(KafkaRegistry.name(AgentMetric.EVENTS_PUBLISHED), insync.events().published()::written);
        all.gauge(KafkaRegistry.name(AgentMetric.EVENTS_NOT_PUBLISHED), insync.events().published()::dropped);
        all.gauge(KafkaRegistry.name(AgentMetric.LOG_LINES_DROPPED), insync.log()::dropped);
    }

    private void registerPendingReads(List<String> scopes) {
        Stats stats = insync.stats();
        meter(AgentMetric.HOLDS, HOLDS, stats::holdsGranted);
        for (Hold.Site site : Hold.Site.values()) {
            if (scopes.contains(PendingReadsConfig.REQUEST) || site == Hold.Site.READ || site == Hold.Site.NONE) {
                meter(AgentMetric.HOLDS_AT, HOLDS, () -> stats.holdsGranted(site), site.word());
            }
        }
        gauge(AgentMetric.HELD, stats::heldNow);
        holdTime = registry.histogram(KafkaRegistry.name(AgentMetric.HOLD_TIME));
        meter(AgentMetric.MARKS, "marks", stats::marksTotal);
        meter(AgentMetric.MARKS_OUTLIVED, "marks", stats::outlivedTotal);
        gauge(AgentMetric.PENDING, stats::pendingNow);
        gauge(AgentMetric.LONGEST_PENDING, stats::longestHoldMs);
        gauge(AgentMetric.LEADER_PAUSED, stats::leaderPausedMs);
    }

    private void registerStepDown() {
        StepDownStats stats = insync.stepDowns();
        for (Reason reason : Reason.values()) {
            AgentMetric metric = reason.acts() ? AgentMetric.STEP_DOWNS : AgentMetric.STEP_DOWNS_SUPPRESSED;
            if (metric.tag().words().contains(reason.word())) {
                meter(metric, STEP_DOWNS, () -> stats.count(reason), reason.word());
            }
        }
        for (Outcome outcome : Outcome.values()) {
            meter(AgentMetric.STEP_DOWNS_ENDED, STEP_DOWNS, () -> stats.count(outcome), outcome.word());
        }
        stepDownTime = registry.histogram(KafkaRegistry.name(AgentMetric.STEP_DOWN_TIME));
        meter(AgentMetric.CONNECTIONS_CLOSED, "connections", stats::connectionsClosed);
        gauge(AgentMetric.ASKS_TO_BE_FENCED, () -> stats.asksToBeFenced() ? 1 : 0);
        meter(AgentMetric.FENCED, "fencings", stats::fencedTotal);
        gauge(AgentMetric.SLOW, () -> stats.isSlow() ? 1 : 0);
        gauge(AgentMetric.SLOW_PEERS, stats::slowPeers);
    }

    private void registerLogStart() {
        LogStartStats stats = insync.logStarts();
        gauge(AgentMetric.FOLLOWER_STARTS, stats::boundedTotal);
        gauge(AgentMetric.LEADER_ANSWERS, stats::snapshotsTotal);
    }

    private void gauge(AgentMetric metric, Supplier<? extends Number> value, String... values) {
        registry.gauge(KafkaRegistry.name(metric, tags(metric, values)), value);
    }

    private void meter(AgentMetric metric, String events, LongSupplier count, String... values) {
        meters.add(new CountedMeter(registry.meter(KafkaRegistry.name(metric, tags(metric, values)), events), count));
    }

    private static String[] tags(AgentMetric metric, String... values) {
        return Arrays.stream(values).flatMap(value -> Stream.of(metric.tag().key(), value)).toArray(String[]::new);
    }

    /** Moves the meters to their counters. */
    public synchronized void update() {
        insync.stats().heldNow();
        meters.forEach(CountedMeter::update);
    }

    @Override
    public void released(Hold hold) {
        holdTime.update(hold.ageMs());
    }

    @Override
    public void ended(Decision decision, Outcome outcome, String way, String error, long askedMs) {
        stepDownTime.update(askedMs);
    }

    /**
     * Moves a meter to the value of a counter from time to time. So a hot path only increments the counter; a meter's own mark updates
     * four atomic numbers.
     */
    static final class CountedMeter {
        private final Meter meter;
        private final LongSupplier count;

        CountedMeter(Meter meter, LongSupplier count) {
            this.meter = meter;
            this.count = count;
        }

        /** Marks the events since the last call; one thread at a time calls it. */
        void update() {
            long more = count.getAsLong() - meter.count();
            if (more > 0) {
                meter.mark(more);
            }
        }
    }
}
