package insync.agent.broker;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.AgentSetup;
import insync.agent.Extension;
import insync.agent.isr.PendingReadsConfig;
import insync.agent.isr.RequestChannelHooks.ChannelCarrier;
import insync.agent.isr.RequestPart;
import insync.agent.kafka.BrokerAccess;
import insync.agent.log.InForce;
import insync.agent.log.KafkaLog;
import insync.agent.metrics.BrokerMetrics;
import insync.agent.metrics.ControllerMetrics;
import insync.agent.stepdown.broker.Appends;
import insync.agent.stepdown.broker.BrokerStepDown;
import insync.agent.stepdown.broker.LifecycleHooks.Lifecycle;
import insync.core.BrokerView;
import insync.core.Insync;
import insync.core.isr.RequestScope;
import insync.core.stepdown.OutgoingFetch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.utils.Time;

/**
 * Finds the plugin's parts in the brokers of this JVM by broker id: the static entry of the advices. A process has one
 * broker, Kafka's own tests have several. A flag per feature keeps advices cheap if no broker has the feature on.
 */
public final class Brokers {
    private static final String PROCESS_ROLES = "process.roles";
    private static final String CONTROLLER = "controller";
    private static final Map<Integer, BrokerLifecycle> BROKERS = new ConcurrentHashMap<>();
    private static volatile AgentSetup setup;
    private static volatile Platform platform;
    private static volatile boolean anyRequestScope;
    private static volatile boolean anyReadScope;
    private static volatile boolean anyStepDown;
    private static volatile boolean isController;

    private Brokers() { }

    /** Sets what is common to all brokers of this JVM; called once, before weaving. */
    public static void install(AgentSetup agentSetup, Platform adapted) {
        setup = agentSetup;
        platform = adapted;
    }

    /** Returns our classes of a broker's start that refer to the broker's, for every version. */
    public static List<Class<?>> ownClasses() {
        List<Class<?>> own = new ArrayList<>(List.of(Brokers.class, Extension.class, BrokerLifecycle.class, Platform.class, KafkaLog.class, InForce.class));
        own.addAll(BrokerMetrics.ownClasses());
        return own;
    }

    public static AgentSetup setup() {
        return setup;
    }

    /** Returns the registry behind Kafka's reporters. */
    public static MetricsRegistry registry() {
        return platform.metrics();
    }

    /** Returns the access to a broker of this version. */
    public static BrokerAccess access() {
        return platform.access();
    }

    /** Opens the log and registers the metrics of a controller, when a node with that role reads its configs. */
    public static void configured(KafkaConfig config) {
        try {
            if (config.getList(PROCESS_ROLES).contains(CONTROLLER)) {
                isController = true;
                KafkaLog.open(Insync.current());
                ControllerMetrics.register(registry(), setup, Insync.current());
            }
        } catch (RuntimeException | Error failed) {
            Insync.failed(failed);
        }
    }

    /** Starts scope "request", if it is on, in a broker whose SocketServer was constructed. */
    public static void socketServerStarted(KafkaConfig config, Time time, ChannelCarrier channel) {
        broker(config).startRequests(config, time, channel, Insync.current(), Brokers::updateFlags);
    }

    public static void socketServerStopped(KafkaConfig config) {
        broker(config).stopRequests();
        updateFlags();
    }

    /**
     * Starts the plugin in a broker whose ReplicaManager was constructed.
     *
     * @throws ConfigException if a hook that the broker's settings ask for cannot be woven, unless the agent's option
     *     on-unsupported lets the broker run without; the only exception, others are recorded
     */
    public static void replicaManagerStarted(ReplicaManager replicas, KafkaConfig config, Time time) {
        Insync insync = Insync.current();
        try {
            BrokerView view = platform.view(replicas, config, setup.brokerVersion());
            broker(config).start(replicas, config, time, view, setup, platform, insync);
            updateFlags();
            Extension.current().started(view, insync);
            broker(config).weave(config, setup, platform);
        } catch (IllegalStateException refused) {
            if (!setup.options().runStockWhenUnsupported()) {
                throw new ConfigException("[insync] " + refused.getMessage());
            }
            Insync.failed(refused);
        } catch (RuntimeException | Error failed) {
            Insync.failed(failed);
        }
    }

    /** Turns parts of a broker on and off after an update of its configs. */
    public static void reconfigured(KafkaConfig config) {
        BrokerLifecycle broker = BROKERS.get(config.brokerId());
        if (broker != null && !Insync.isDisabled()) {
            broker.reconfigure(config, setup, platform, Insync.current(), Brokers::updateFlags);
            updateFlags();
        }
    }

    /** Starts the step-down watch of a broker, if it is on; the manager is ReplicaManager's alterPartitionManager. */
    public static void alterPartitionsStarted(ReplicaManager replicas, KafkaConfig config, Time time, Object manager) {
        broker(config).startStepDown(replicas, config, time, manager, platform, Insync.current());
        updateFlags();
    }

    public static void replicaManagerStopped(KafkaConfig config) {
        broker(config).stopStepDown();
        broker(config).stopReads();
        updateFlags();
    }

    /** Ends all parts of all brokers at once. */
    static void stopAll() {
        BROKERS.values().forEach(BrokerLifecycle::stopAll);
        updateFlags();
    }

    /** Returns whether any broker of this JVM runs scope "request". */
    public static boolean anyRequestScope() {
        return anyRequestScope;
    }

    /** Returns whether any broker of this JVM runs scope "read". */
    public static boolean anyReadScope() {
        return anyReadScope;
    }

    /** Returns scope "request" of a broker and the channel of its requests, or null if the scope is off. */
    public static RequestPart requests(int brokerId) {
        BrokerLifecycle broker = anyRequestScope ? BROKERS.get(brokerId) : null;
        return broker == null ? null : broker.requests();
    }

    /** Returns the scopes "request" of all brokers. */
    public static List<RequestScope> requestScopes() {
        return BROKERS.values().stream().flatMap(BrokerLifecycle::allRequests).map(RequestPart::scope)
            .collect(Collectors.toList());
    }

    /** Returns whether a node of this JVM is a controller. */
    public static boolean isController() {
        return isController && !Insync.isDisabled();
    }

    /** Returns whether any broker of this JVM may step down. */
    public static boolean anyStepDown() {
        return anyStepDown;
    }

    /** Returns the step-down of a broker, or null if it is off. */
    public static BrokerStepDown stepDown(int brokerId) {
        BrokerLifecycle broker = anyStepDown ? BROKERS.get(brokerId) : null;
        return broker == null ? null : broker.stepDown();
    }

    /** Returns the step-down of the broker whose heartbeats a manager sends, or null. */
    public static BrokerStepDown stepDownOf(Object lifecycle) {
        return BROKERS.values().stream().filter(broker -> broker.lifecycle() == lifecycle).map(BrokerLifecycle::stepDown)
            .filter(Objects::nonNull).findFirst().orElse(null);
    }

    /** Notes what sends the heartbeats of a broker. */
    public static void lifecycleStarted(int brokerId, Lifecycle lifecycle) {
        BROKERS.computeIfAbsent(brokerId, id -> new BrokerLifecycle()).lifecycle(lifecycle);
    }

    /** Returns the measurement of a broker's new connection to a peer that it follows, or null if it cannot step down. */
    public static OutgoingFetch fetcher(int brokerId, int peer) {
        BrokerLifecycle broker = BROKERS.get(brokerId);
        return broker == null ? null : broker.fetcher(peer);
    }

    /** Returns whether a broker's pending fetches keep followers in the ISR, and do not only make it step down. */
    public static boolean keepsInSync(int brokerId) {
        BrokerLifecycle broker = BROKERS.get(brokerId);
        return (broker == null || broker.keepsInSync()) && !Insync.isDisabled();
    }

    /** Returns whether the pending fetches of any broker of this JVM keep followers in the ISR. */
    public static boolean anyKeepsInSync() {
        return !Insync.isDisabled() && BROKERS.values().stream().anyMatch(broker -> broker.keepsInSync()
            && !broker.scope().equals(PendingReadsConfig.OFF));
    }

    /** Returns the scope of a broker of this JVM that is on, or "off". */
    public static String scope() {
        return Insync.isDisabled() ? PendingReadsConfig.OFF : BROKERS.values().stream().map(BrokerLifecycle::scope)
            .filter(scope -> !scope.equals(PendingReadsConfig.OFF)).findFirst().orElse(PendingReadsConfig.OFF);
    }

    private static BrokerLifecycle broker(KafkaConfig config) {
        return BROKERS.computeIfAbsent(config.brokerId(), id -> new BrokerLifecycle());
    }

    private static synchronized void updateFlags() {
        anyRequestScope = BROKERS.values().stream().anyMatch(broker -> broker.allRequests().findAny().isPresent());
        anyReadScope = BROKERS.values().stream().anyMatch(BrokerLifecycle::marksReads);
        anyStepDown = BROKERS.values().stream().anyMatch(broker -> broker.stepDown() != null);
        Appends.turn(BROKERS.values().stream().map(BrokerLifecycle::stepDown).anyMatch(one -> one != null && one.timesAppends()));
    }
}
