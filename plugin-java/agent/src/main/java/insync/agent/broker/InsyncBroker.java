package insync.agent.broker;

import insync.agent.AgentSetup;
import insync.agent.config.BrokerConfigs;
import insync.agent.events.EventsTopic;
import insync.agent.isr.PendingReads;
import insync.agent.isr.PendingReadsConfig;
import insync.agent.isr.RequestPart;
import insync.agent.kafka.KafkaClock;
import insync.agent.lagpolicy.LagPolicy;
import insync.agent.pausepoints.PausePointHooks;
import insync.agent.stepdown.broker.BrokerStepDown;
import insync.agent.stepdown.broker.ReadErrorHooks;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.core.BrokerView;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.util.List;
import java.util.Map;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.utils.Time;

/**
 * Starts and stops the plugin's parts of one broker, with the broker's SocketServer and ReplicaManager. A broker
 * that starts again with the same id in this JVM replaces the earlier parts.
 */
final class InsyncBroker {
    private volatile RequestPart requests;
    private volatile PendingReads reads;
    private volatile LagPolicy lagPolicy = LagPolicy.BY_TIME;
    private volatile BrokerStepDown stepDown;
    private volatile boolean keepsInSync = true;

    /**
     * Starts what depends only on the broker's settings: events, metrics, scope "read".
     *
     * @return the object that the hot path of scope "read" uses, or null if that is off
     */
    PendingReads start(ReplicaManager replicas, KafkaConfig config, Time time, BrokerView view, AgentSetup setup,
                       Platform platform, Insync insync) {
        EventsTopic.started(config, insync.events());
        Map<String, Object> settings = EventLog.fields("broker", config.brokerId());
        settings.putAll(view.settings());
        insync.events().emit("settings", settings);
        sayWhatIsInForce(config);
        if (!setup.scopes().isEmpty()) {
            Metrics.registerPendingReads(platform.access().metrics(), insync);
        }
        keepsInSync = !relinquishesOnly(config, setup);
        boolean tracks = setup.supportsStepDown() ? StepDownConfigs.tracks(config, PendingReadsConfig.READ)
            : PendingReadsConfig.isOn(config, PendingReadsConfig.READ);
        stopReads();
        reads = tracks ? new PendingReads(replicas, platform.access(), new KafkaClock(time), insync,
            PendingReadsConfig.lagTimeMaxMs(config), PendingReadsConfig.maxAgeMs(config)) : null;
        return reads;
    }

    private static void sayWhatIsInForce(KafkaConfig config) {
        String who = "[insync] broker " + config.brokerId() + ": ";
        System.err.println(who + String.join(", ", BrokerConfigs.inForce(config)));
        BrokerConfigs.misspelled(config).forEach((name, meant) ->
            System.err.println(who + name + " is no config of this broker; expected " + meant + "?"));
    }

    /**
     * Weaves the hooks on demand that the broker's settings ask for.
     *
     * @throws IllegalStateException if the JVM refused the hooks of a feature
     */
    void weave(KafkaConfig config, AgentSetup setup, Platform platform) {
        LagPolicy asked = LagPolicy.of(config, platform.access());
        asked.weave(setup.onDemand());
        lagPolicy = asked;
        platform.logStart().weave(config, setup.onDemand());
        PausePointHooks.weave(setup.options().pausePoints() ? platform.pausePoints() : List.of(), setup.onDemand());
        if (relinquishesOnly(config, setup)) {
            setup.onDemand().weave(List.of(ReadErrorHooks.fetchRecords()), StepDownConfigs.ONLY);
        }
    }

    private static boolean relinquishesOnly(KafkaConfig config, AgentSetup setup) {
        return setup.supportsStepDown() && StepDownConfigs.relinquishesOnly(config);
    }

    /** Ends the threads of scope "read". */
    void stopReads() {
        PendingReads stopped = reads;
        reads = null;
        if (stopped != null) {
            stopped.stop();
        }
    }

    /** Returns whether scope "read" runs. */
    boolean marksReads() {
        return reads != null;
    }

    void startStepDown(ReplicaManager replicas, KafkaConfig config, Time time, Object manager, Platform platform,
                       Insync insync) {
        BrokerStepDown started = BrokerStepDown.start(replicas, config, time, manager, platform.stepDown(),
            platform.controller(), this::requests, insync);
        if (started != null) {
            stepDown = started;
            Metrics.registerStepDown(platform.access().metrics(), insync.stepDowns());
        }
    }

    void stopStepDown() {
        BrokerStepDown stopped = stepDown;
        stepDown = null;
        if (stopped != null) {
            stopped.stop();
        }
    }

    /** Replaces the part of scope "request", and ends the threads of the one before; null if the scope is off. */
    void requests(RequestPart started) {
        RequestPart stopped = requests;
        requests = started;
        if (stopped != null) {
            stopped.stop();
        }
    }

    /** Returns the part of scope "request", or null if that is off. */
    RequestPart requests() {
        return requests;
    }

    /** Returns whether pending fetches keep followers in the ISR, and do not only make this broker step down. */
    boolean keepsInSync() {
        return keepsInSync;
    }

    LagPolicy lagPolicy() {
        return lagPolicy;
    }

    /** Returns the part of the step-down, or null if that is off. */
    BrokerStepDown stepDown() {
        return stepDown;
    }
}
