package insync.agent.broker;

import insync.agent.broker.StepDown.HeartbeatSender;
import insync.agent.kafka.BrokerAccess;
import insync.core.Insync;
import insync.core.isr.RequestScope;
import insync.core.stepdown.PeerFetches;
import insync.core.stepdown.PeerFetches.OutgoingFetch;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The static entry of the advices: finds the plugin's parts in the brokers of this JVM by broker id. A process has one broker,
 * Kafka's own tests have several. It knows the parts by {@link Parts} and {@link StepDown} only. A flag per feature keeps advices cheap
 * if no broker has the feature on.
 */
public final class Brokers {
    private static final String OFF = "off";
    private static final Parts NO_PARTS = new Parts();
    private static final StepDown NO_STEP_DOWN = new StepDown() { };
    private static final Map<Integer, Parts> BROKERS = new ConcurrentHashMap<>();
    private static volatile BrokerAccess access;
    private static volatile boolean anyRequestScope;
    private static volatile boolean anyReadScope;
    private static volatile boolean anyStepDown;
    private static volatile boolean timesAppends;
    /** The id of this JVM's controller, or -1. */
    private static volatile int controller = -1;

    private Brokers() { }

    static void install(BrokerAccess ofVersion) {
        access = ofVersion;
    }

    public static BrokerAccess access() {
        return access;
    }

    /** Returns a broker's parts, made if it has none. */
    static Parts of(int brokerId, Supplier<Parts> make) {
        return BROKERS.computeIfAbsent(brokerId, id -> make.get());
    }

    private static Parts of(int brokerId) {
        return BROKERS.getOrDefault(brokerId, NO_PARTS);
    }

    private static Stream<Parts> all() {
        return BROKERS.values().stream();
    }

    /** Notes which features are on in any broker of this JVM. */
    static synchronized void updateFlags() {
        anyRequestScope = all().anyMatch(broker -> broker.requestScopes().findAny().isPresent());
        anyReadScope = all().anyMatch(Parts::marksReads);
        anyStepDown = all().anyMatch(broker -> broker.stepDown != null);
        timesAppends = all().map(broker -> broker.stepDown).anyMatch(one -> one != null && one.timesAppends());
    }

    /** Ends all parts of all brokers at once. */
    static void stopAll() {
        all().forEach(Parts::stopAll);
        updateFlags();
    }

    static void controllerStarted(int nodeId) {
        controller = nodeId;
    }

    /** Returns the id of this JVM's controller; -1 if there is none, or if the agent is disabled. */
    public static int controller() {
        return Insync.isDisabled() ? -1 : controller;
    }

    public static boolean anyRequestScope() {
        return anyRequestScope;
    }

    public static boolean anyReadScope() {
        return anyReadScope;
    }

    public static boolean anyStepDown() {
        return anyStepDown;
    }

    public static boolean timesAppends() {
        return timesAppends;
    }

    /** Returns scope "request" of a broker, or null if it is off. */
    public static RequestScope requests(int brokerId) {
        return anyRequestScope ? of(brokerId).requestScope() : null;
    }

    /** Returns the scopes "request" of all brokers, with those that are turned off and still have pending fetches. */
    public static List<RequestScope> requestScopes() {
        return all().flatMap(Parts::requestScopes).collect(Collectors.toList());
    }

    /** Returns the step-down of a broker; it does nothing if that is off. */
    public static StepDown stepDown(int brokerId) {
        StepDown found = anyStepDown ? of(brokerId).stepDown : null;
        return found == null ? NO_STEP_DOWN : found;
    }

    /** Returns the step-down of the broker whose heartbeats this sends; it does nothing if that is off. */
    public static StepDown stepDownOf(Object lifecycle) {
        return all().filter(broker -> broker.heartbeats == lifecycle).map(broker -> broker.stepDown).filter(Objects::nonNull)
            .findFirst().orElse(NO_STEP_DOWN);
    }

    /** Returns the measurement of a broker's new connection to a peer that it follows, or null if it cannot step down. */
    public static OutgoingFetch fetcher(int brokerId, int peer) {
        PeerFetches measured = of(brokerId).peers;
        return measured == null ? null : measured.fetcher(peer);
    }

    /** Returns whether a broker's pending fetches keep followers in the ISR, and do not only make it step down. */
    public static boolean keepsInSync(int brokerId) {
        return of(brokerId).keepsInSync && !Insync.isDisabled();
    }

    /** Returns whether the pending fetches of any broker of this JVM keep followers in the ISR. */
    public static boolean anyKeepsInSync() {
        return !Insync.isDisabled() && all().anyMatch(broker -> broker.keepsInSync && !broker.scope().equals(OFF));
    }

    /** Returns the scope of a broker of this JVM that is on, or "off". */
    public static String scope() {
        return Insync.isDisabled() ? OFF : all().map(Parts::scope).filter(scope -> !scope.equals(OFF)).findFirst().orElse(OFF);
    }

    /** The parts of one broker. By default all are off. */
    static class Parts {
        /** Null if it is off. */
        volatile StepDown stepDown;
        /** What sends the broker's heartbeats, or null. */
        volatile HeartbeatSender heartbeats;
        /** Null if the broker cannot step down. */
        volatile PeerFetches peers;
        /** Whether pending fetches keep followers in the ISR, and do not only make the broker step down. */
        volatile boolean keepsInSync = true;

        /** Returns scope "request", or null if it is off. */
        RequestScope requestScope() {
            return null;
        }

        /** Returns scope "request" and those before it in which fetches are pending. */
        Stream<RequestScope> requestScopes() {
            return Stream.empty();
        }

        /** Returns whether scope "read" runs, or fetches are pending that began in it. */
        boolean marksReads() {
            return false;
        }

        /** Returns the scope in which new fetches are tracked, or "off". */
        String scope() {
            return OFF;
        }

        /** Ends all parts at once, whatever is pending. */
        void stopAll() { }
    }
}
