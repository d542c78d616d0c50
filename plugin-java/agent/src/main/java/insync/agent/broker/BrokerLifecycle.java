package insync.agent.broker;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.Adapter;
import insync.agent.Extension;
import insync.agent.Features;
import insync.agent.broker.StepDown.HeartbeatSender;
import insync.agent.config.BrokerConfigs;
import insync.agent.config.DynamicConfigs;
import insync.agent.isr.PartitionState;
import insync.agent.isr.PendingReads;
import insync.agent.isr.PendingReads.ReadsCarrier;
import insync.agent.isr.PendingReadsConfig;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.isr.RequestPart;
import insync.agent.kafka.KafkaClock;
import insync.agent.log.KafkaLog;
import insync.agent.logstart.LogStartConfigs;
import insync.agent.metrics.BrokerMetrics;
import insync.agent.stepdown.broker.BrokerStepDown;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.isr.FetchRule;
import insync.core.isr.RequestScope;
import insync.core.log.HoldReport;
import insync.core.stepdown.PeerFetches;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.utils.Time;

/**
 * Starts and stops the plugin's parts of one broker, with the broker's SocketServer and ReplicaManager, and when an update of the
 * broker's configs turns them on or off; called by the advices of a broker's start and end. A broker that starts again with the
 * same id in this JVM replaces the earlier parts.
 */
public final class BrokerLifecycle extends Brokers.Parts {
    private static final String PROCESS_ROLES = "process.roles";
    private static final String CONTROLLER = "controller";
    private static volatile Adapter adapter;

    private final Draining<RequestPart> endingRequests = new Draining<>(RequestPart::stop);
    private final Draining<PendingReads> endingReads = new Draining<>(PendingReads::stop);
    private volatile RequestPart requests;
    private volatile PendingReads reads;
    private Map<String, Object> dynamic = Map.of();
    /** Starts parts later than with the broker; null until Kafka's part that they need is constructed. */
    private Function<KafkaConfig, RequestPart> startRequests;
    private Function<KafkaConfig, PendingReads> startReads;
    private Function<KafkaConfig, StepDown> startStepDown;
    private ReplicaManager replicas;
    private KafkaConfig own;

    private BrokerLifecycle() { }

    /** Sets what is common to all brokers of this JVM; called once, before weaving. */
    public static void install(Adapter adapted) {
        adapter = adapted;
        Brokers.install(adapted.access);
    }

    /** Returns the registry behind Kafka's reporters. */
    public static MetricsRegistry registry() {
        return adapter.metrics();
    }

    /** Returns the parts of the broker with these settings. */
    public static BrokerLifecycle of(KafkaConfig config) {
        return of(config.brokerId());
    }

    private static BrokerLifecycle of(int brokerId) {
        return (BrokerLifecycle) Brokers.of(brokerId, BrokerLifecycle::new);
    }

    /** Opens the log and registers the metrics of a controller, when a node with that role reads its configs. */
    public static void configured(KafkaConfig config) {
        try {
            if (config.getList(PROCESS_ROLES).contains(CONTROLLER)) {
                Brokers.controllerStarted(config.getInt("node.id"));
                Insync.current().log.open(new KafkaLog());
                BrokerMetrics.registerController(registry(), Insync.current());
            }
        } catch (RuntimeException | Error failed) {
            Insync.failed(failed);
        }
    }

    public static void sendsHeartbeats(int brokerId, HeartbeatSender sender) {
        of(brokerId).heartbeats = sender;
    }

    /** Starts the plugin in the broker, when its ReplicaManager was constructed. */
    public void replicaManagerStarted(ReplicaManager started, KafkaConfig config, Time time) {
        Insync insync = Insync.current();
        try {
            start(started, config, time, insync);
            Extension.current().started(started, config, insync);
            LogStartConfigs.turnOn(config, insync.logStarts);
            Extension.current().configured(config);
        } catch (RuntimeException | Error failed) {
            Insync.failed(failed);
        }
    }

    /** Starts what depends only on the broker's settings: events, logs, metrics, scope "read". */
    private synchronized void start(ReplicaManager started, KafkaConfig config, Time time, Insync insync) {
        Extension.current().starting(config, insync);
        Map<String, Object> settings = EventLog.fields("broker", config.brokerId());
        settings.putAll(BrokerConfigs.all(config));
        insync.events.emit("settings", settings);
        insync.log.open(new KafkaLog());
        BrokerConfigs.sayAtStart(config, insync.log);
        BrokerMetrics metrics = BrokerMetrics.register(registry(), insync);
        dynamic = DynamicConfigs.values(config);
        keepsInSync = !StepDownConfigs.relinquishesOnly(config);
        replicas = started;
        own = config;
        stopReads();
        if (!Features.current().scopes().isEmpty()) {
            insync.stats.listeners(metrics, new HoldReport(insync.log, insync.events));
            insync.eachSecond(metrics::update);
            startReads = now -> new PendingReads(started, new KafkaClock(time), insync, PendingReadsConfig.lagTimeMaxMs(now));
            switchReads(config);
        }
        Brokers.updateFlags();
    }

    /** Ends the step-down, the threads of scope "read", and of all scopes that are turned off. */
    public synchronized void replicaManagerStopped() {
        stopStepDown();
        stopReads();
        Brokers.updateFlags();
    }

    /** Prepares scope "request" when the broker's SocketServer was constructed, and starts it if it is on. */
    public synchronized void socketServerStarted(KafkaConfig config, Time time, ChannelCarrier channel) {
        stopRequests();
        startRequests = now -> new RequestPart(now, time, channel, Insync.current());
        switchRequests(config);
        Brokers.updateFlags();
    }

    /** Ends the threads of scope "request". */
    public synchronized void socketServerStopped() {
        stopRequests();
        Brokers.updateFlags();
    }

    /**
     * Prepares the step-down, and starts it if it is on.
     *
     * @param manager ReplicaManager's alterPartitionManager
     */
    public synchronized void alterPartitionsStarted(ReplicaManager managed, KafkaConfig config, Time time, Object manager) {
        PeerFetches measured = new PeerFetches(new KafkaClock(time));
        peers = measured;
        startStepDown = now -> BrokerStepDown.start(managed, now, time, manager, measured,
            adapter.controller, () -> requests, () -> heartbeats, Insync.current());
        switchStepDown(config);
        Brokers.updateFlags();
    }

    /** Turns parts on and off, and passes values, after an update of the broker's configs. */
    public static void reconfigured(KafkaConfig config) {
        if (!Insync.isDisabled()) {
            of(config).reconfigure(config);
            Brokers.updateFlags();
        }
    }

    private synchronized void reconfigure(KafkaConfig config) {
        Map<String, Object> before = dynamic;
        Map<String, Object> now = DynamicConfigs.values(config);
        // A controller with the same id in this JVM has its own configs, and applies updates at other times.
        if (config != own || now.equals(before)) {
            return;
        }
        Map<String, Object> updated = new TreeMap<>(now);
        updated.entrySet().removeAll(before.entrySet());
        keepsInSync = !StepDownConfigs.relinquishesOnly(config);
        boolean done = apply(List.of(
            () -> Extension.current().configured(config),
            () -> switchReads(config),
            () -> switchRequests(config),
            () -> {
                boolean starts = stepDown == null;
                switchStepDown(config);
                if (starts && stepDown != null) {
                    // First lets the hooks pass partitions that this broker begins to lead meanwhile.
                    Brokers.updateFlags();
                    PartitionState.led(replicas).forEach(stepDown::leading);
                }
            }), Insync::failed);
        if (!done) {
            return;
        }
        dynamic = now;
        Insync insync = Insync.current();
        Map<String, Object> event = EventLog.fields("broker", config.brokerId());
        event.putAll(updated);
        insync.events.emit("settings_updated", event);
        String updates = updated.entrySet().stream().map(Object::toString).collect(Collectors.joining(", "));
        BrokerConfigs.sayAfterUpdate(config, insync.log, updates);
    }

    /**
     * Does every step of an update, also after one that failed.
     *
     * @return whether all were done; if not, the next update repeats those that were not, even if it changes nothing
     */
    static boolean apply(List<Runnable> steps, Consumer<Throwable> failures) {
        boolean done = true;
        for (Runnable step : steps) {
            try {
                step.run();
            } catch (RuntimeException | Error failed) {
                failures.accept(failed);
                done = false;
            }
        }
        return done;
    }

    private void switchReads(KafkaConfig config) {
        boolean wanted = !Insync.isDisabled() && StepDownConfigs.tracks(config, PendingReadsConfig.READ);
        if (wanted != (reads != null)) {
            PendingReads off = reads;
            reads = wanted ? startReads.apply(config) : null;
            ((ReadsCarrier) (Object) replicas).insync$pendingReads(reads);
            if (off != null) {
                endingReads.add(off, FetchRule.endsWithinMs(PendingReadsConfig.lagTimeMaxMs(config)));
            }
        }
    }

    private void switchRequests(KafkaConfig config) {
        boolean wanted = !Insync.isDisabled() && startRequests != null && StepDownConfigs.tracks(config, PendingReadsConfig.REQUEST);
        if (wanted != (requests != null)) {
            RequestPart off = requests;
            if (wanted) {
                requests = startRequests.apply(config);
                Brokers.updateFlags(); // from now on the end of each connection is noted
                requests.turnOn();
            } else {
                requests = null;
                off.turnOff();
                endingRequests.add(off, FetchRule.endsWithinMs(PendingReadsConfig.lagTimeMaxMs(config)));
            }
        }
    }

    private void switchStepDown(KafkaConfig config) {
        boolean wanted = !Insync.isDisabled() && startStepDown != null && StepDownConfigs.isOn(config);
        StepDown running = stepDown;
        if (!wanted) {
            stopStepDown();
        } else if (running == null) {
            stepDown = startStepDown.apply(config);
        } else {
            running.reconfigure(config);
        }
    }

    private void stopStepDown() {
        StepDown stopped = stepDown;
        stepDown = null;
        if (stopped != null) {
            stopped.stop();
        }
    }

    private void stopReads() {
        endingReads.stop();
        endingRequests.stop();
        PendingReads stopped = reads;
        reads = null;
        if (stopped != null) {
            stopped.stop();
        }
    }

    private void stopRequests() {
        RequestPart stopped = requests;
        requests = null;
        startRequests = null;
        if (stopped != null) {
            stopped.stop();
        }
    }

    @Override
    synchronized void stopAll() {
        if (reads != null) {
            ((ReadsCarrier) (Object) replicas).insync$pendingReads(null);
        }
        if (requests != null) {
            requests.turnOff();
        }
        stopRequests();
        stopStepDown();
        stopReads();
    }

    @Override
    boolean marksReads() {
        return reads != null || !endingReads.scopes.isEmpty();
    }

    @Override
    RequestScope requestScope() {
        RequestPart part = requests;
        return part == null ? null : part.scope;
    }

    @Override
    Stream<RequestScope> requestScopes() {
        return Stream.concat(Stream.ofNullable(requests), endingRequests.scopes.stream()).map(part -> part.scope);
    }

    @Override
    String scope() {
        return requests != null ? PendingReadsConfig.REQUEST : reads != null ? PendingReadsConfig.READ : PendingReadsConfig.OFF;
    }
}
