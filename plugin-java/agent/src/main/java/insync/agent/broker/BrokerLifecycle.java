package insync.agent.broker;

import insync.agent.AgentSetup;
import insync.agent.Extension;
import insync.agent.config.BrokerConfigs;
import insync.agent.config.DynamicConfigs;
import insync.agent.isr.PendingReads;
import insync.agent.isr.PendingReadsConfig;
import insync.agent.isr.ReplicaManagerHooks.ReadsCarrier;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.isr.RequestPart;
import insync.agent.kafka.KafkaClock;
import insync.agent.log.InForce;
import insync.agent.log.KafkaLog;
import insync.agent.metrics.BrokerMetrics;
import insync.agent.stepdown.broker.BrokerStepDown;
import insync.agent.stepdown.broker.LifecycleHooks.Lifecycle;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.core.BrokerView;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.core.log.HoldEvents;
import insync.core.log.HoldLog;
import insync.core.log.StepDownLog;
import insync.core.stepdown.OutgoingFetch;
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
 * Starts and stops the plugin's parts of one broker, with the broker's SocketServer and ReplicaManager, and when an update of
 * the broker's configs turns them on or off. A broker that starts again with the same id in this JVM replaces the earlier
 * parts.
 */
final class BrokerLifecycle {
    private final Draining draining = new Draining();
    private volatile RequestPart requests;
    private volatile PendingReads reads;
    private volatile BrokerStepDown stepDown;
    private volatile PeerFetches peers;
    private volatile Lifecycle lifecycle;
    private volatile boolean keepsInSync = true;
    private Map<String, Object> dynamic = Map.of();
    /** Starts parts later than with the broker; null until Kafka's part that they need is constructed. */
    private Function<KafkaConfig, RequestPart> startRequests;
    private Function<KafkaConfig, PendingReads> startReads;
    private Function<KafkaConfig, BrokerStepDown> startStepDown;
    private ReplicaManager replicas;
    private KafkaConfig own;

    /**
     * Starts what depends only on the broker's settings: events, logs, metrics, scope "read".
     *
     * @return the metrics of this JVM's brokers
     */
    synchronized void start(ReplicaManager started, KafkaConfig config, Time time, BrokerView view, AgentSetup setup,
                            Platform platform, Insync insync) {
        Extension.current().starting(config, insync);
        Map<String, Object> settings = EventLog.fields("broker", config.brokerId());
        settings.putAll(view.settings());
        insync.events().emit("settings", settings);
        sayWhatIsInForce(config);
        KafkaLog.open(insync);
        InForce.started(insync.log(), config, setup, BrokerConfigs.inForce(config));
        BrokerMetrics metrics = BrokerMetrics.register(platform.metrics(), setup, insync);
        if (!setup.scopes().isEmpty()) {
            insync.stats().holds(metrics.and(new HoldLog(insync.log())).and(new HoldEvents(insync.events())));
            insync.stepDowns().listener(metrics.and(new StepDownLog(insync.log())));
            insync.eachSecond(metrics::update);
        }
        dynamic = DynamicConfigs.values(config);
        keepsInSync = !relinquishesOnly(config, setup);
        replicas = started;
        own = config;
        stopReads();
        if (!setup.scopes().isEmpty()) {
            startReads = now -> new PendingReads(started, platform.access(), new KafkaClock(time), insync,
                PendingReadsConfig.lagTimeMaxMs(now));
            switchReads(config, setup, null);
        }
    }

    /**
     * Turns parts on and off, and passes values, as the broker's updated settings say.
     *
     * @param changed called when parts have begun or ended
     */
    synchronized void reconfigure(KafkaConfig config, AgentSetup setup, Platform platform, Insync insync,
                                  Runnable changed) {
        if (config != own) {
            // A controller with the same id in this JVM has its own, and applies updates at other times.
            return;
        }
        Map<String, Object> before = dynamic;
        Map<String, Object> now = DynamicConfigs.values(config);
        if (now.equals(before)) {
            return;
        }
        Map<String, Object> updated = new TreeMap<>(now);
        updated.entrySet().removeAll(before.entrySet());
        keepsInSync = !relinquishesOnly(config, setup);
        boolean done = apply(List.of(
            () -> weaveStepDown(config, setup, platform),
            () -> switchReads(config, setup, changed),
            () -> switchRequests(config, changed),
            () -> {
                boolean starts = stepDown == null;
                switchStepDown(config);
                if (starts && stepDown != null) {
                    // First lets the hooks pass partitions that this broker begins to lead meanwhile.
                    changed.run();
                    LeaderView.led(platform.access(), replicas).forEach(stepDown::leading);
                }
            }), Insync::failed);
        if (!done) {
            return;
        }
        dynamic = now;
        Map<String, Object> event = EventLog.fields("broker", config.brokerId());
        event.putAll(updated);
        insync.events().emit("settings_updated", event);
        String updates = updated.entrySet().stream().map(Object::toString).collect(Collectors.joining(", "));
        System.err.println("[insync] broker " + config.brokerId() + ": configs updated: " + updates);
        InForce.updated(insync.log(), config, setup, updates);
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

    private void switchReads(KafkaConfig config, AgentSetup setup, Runnable ended) {
        boolean wanted = setup.supportsStepDown() ? StepDownConfigs.tracks(config, PendingReadsConfig.READ)
            : PendingReadsConfig.isOn(config, PendingReadsConfig.READ);
        if (wanted != (reads != null)) {
            PendingReads off = reads;
            reads = wanted ? startReads.apply(config) : null;
            ((ReadsCarrier) (Object) replicas).insync$pendingReads(reads);
            if (off != null) {
                draining.add(off, ended);
            }
        }
    }

    private void switchRequests(KafkaConfig config, Runnable changed) {
        boolean wanted = startRequests != null && StepDownConfigs.tracks(config, PendingReadsConfig.REQUEST);
        if (wanted != (requests != null)) {
            RequestPart off = requests;
            if (wanted) {
                requests = startRequests.apply(config);
                changed.run(); // from now on the end of each connection is noted
                requests.turnOn();
            } else {
                requests = null;
                off.turnOff();
                draining.add(off, changed);
            }
        }
    }

    private void switchStepDown(KafkaConfig config) {
        boolean wanted = startStepDown != null && StepDownConfigs.isOn(config);
        BrokerStepDown running = stepDown;
        if (running != null && wanted) {
            running.reconfigure(config);
        } else if (running != null) {
            stopStepDown();
        } else if (wanted) {
            stepDown = startStepDown.apply(config);
        }
    }

    private static void sayWhatIsInForce(KafkaConfig config) {
        String who = "[insync] broker " + config.brokerId() + ": ";
        System.err.println(who + String.join(", ", BrokerConfigs.inForce(config)));
        BrokerConfigs.misspelled(config).forEach((name, meant) ->
            System.err.println(who + name + " is not a config of this broker; expected " + meant + "?"));
    }

    /**
     * Weaves the hooks on demand that the broker's settings ask for.
     *
     * @throws IllegalStateException if the JVM refused the hooks of a feature
     */
    void weave(KafkaConfig config, AgentSetup setup, Platform platform) {
        platform.logStart().weave(config, setup.onDemand());
        weaveStepDown(config, setup, platform);
    }

    private static void weaveStepDown(KafkaConfig config, AgentSetup setup, Platform platform) {
        Extension.current().weave(config, setup);
        if (setup.supportsStepDown() && StepDownConfigs.timesAppends(config)) {
            setup.onDemand().weave(platform.appends(), StepDownConfigs.APPENDS);
        }
    }

    private static boolean relinquishesOnly(KafkaConfig config, AgentSetup setup) {
        return setup.supportsStepDown() && StepDownConfigs.relinquishesOnly(config);
    }

    /** Ends all parts at once, whatever is pending. */
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

    /** Ends the threads of scope "read", and of all scopes that are turned off. */
    synchronized void stopReads() {
        draining.stop();
        PendingReads stopped = reads;
        reads = null;
        if (stopped != null) {
            stopped.stop();
        }
    }

    /** Returns whether scope "read" runs, or fetches are pending that began in it. */
    boolean marksReads() {
        return reads != null || draining.all(PendingReads.class).findAny().isPresent();
    }

    /**
     * Prepares the step-down, and starts it if it is on.
     *
     * @param manager ReplicaManager's alterPartitionManager
     */
    synchronized void startStepDown(ReplicaManager managed, KafkaConfig config, Time time, Object manager, Platform platform,
                                    Insync insync) {
        PeerFetches measured = new PeerFetches(new KafkaClock(time));
        peers = measured;
        startStepDown = now -> BrokerStepDown.start(managed, now, time, manager, measured, platform.stepDown(),
            platform.controller(), this::requests, this::lifecycle, insync);
        switchStepDown(config);
    }

    /** Returns the measurement of a new connection to a peer that this broker follows, or null if it cannot step down. */
    OutgoingFetch fetcher(int peer) {
        PeerFetches measured = peers;
        return measured == null ? null : measured.fetcher(peer);
    }

    void stopStepDown() {
        BrokerStepDown stopped = stepDown;
        stepDown = null;
        if (stopped != null) {
            stopped.stop();
        }
    }

    /** Prepares scope "request" with the broker's SocketServer, and starts it if it is on. */
    synchronized void startRequests(KafkaConfig config, Time time, ChannelCarrier channel, Insync insync, Runnable changed) {
        stopRequests();
        startRequests = now -> RequestPart.start(now, time, channel, insync);
        switchRequests(config, changed);
    }

    /** Ends the threads of scope "request". */
    synchronized void stopRequests() {
        RequestPart stopped = requests;
        requests = null;
        startRequests = null;
        if (stopped != null) {
            stopped.stop();
        }
    }

    /** Returns scope "request" and those before it in which fetches are pending. */
    Stream<RequestPart> allRequests() {
        return Stream.concat(Stream.ofNullable(requests), draining.all(RequestPart.class));
    }

    /** Returns the part of scope "request", or null if that is off. */
    RequestPart requests() {
        return requests;
    }

    /** Returns the scope in which new fetches are tracked, or "off". */
    String scope() {
        return requests != null ? PendingReadsConfig.REQUEST : reads != null ? PendingReadsConfig.READ : PendingReadsConfig.OFF;
    }

    /** Returns whether pending fetches keep followers in the ISR, and do not only make this broker step down. */
    boolean keepsInSync() {
        return keepsInSync;
    }

    Lifecycle lifecycle() {
        return lifecycle;
    }

    void lifecycle(Lifecycle started) {
        lifecycle = started;
    }

    /** Returns the part of the step-down, or null if that is off. */
    BrokerStepDown stepDown() {
        return stepDown;
    }
}
