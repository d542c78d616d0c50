package insync.agent.broker;

import insync.agent.AgentSetup;
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
    private volatile LagPolicy lagPolicy = LagPolicy.BY_TIME;
    private volatile BrokerStepDown stepDown;
    private volatile boolean keepsInSync = true;

    /**
     * Starts what depends only on the broker's settings: events, metrics, hooks on demand, scope "read".
     *
     * @return the object that the hot path of scope "read" uses, or null if that is off
     */
    PendingReads start(ReplicaManager replicas, KafkaConfig config, Time time, BrokerView view, AgentSetup setup,
                       Platform platform, Insync insync) {
        EventsTopic.started(config, insync.events());
        Map<String, Object> settings = EventLog.fields("broker", config.brokerId());
        settings.putAll(view.settings());
        insync.events().emit("settings", settings);
        if (!setup.scopes().isEmpty()) {
            Metrics.registerPendingReads(platform.access().metrics(), insync);
        }
        lagPolicy = LagPolicy.of(config, platform.access());
        lagPolicy.weave(setup.onDemand());
        platform.logStart().weave(config, setup.onDemand());
        PausePointHooks.weave(setup.options().pausePoints() ? platform.pausePoints() : List.of(), setup.onDemand());
        boolean relinquishesOnly = setup.supportsStepDown() && StepDownConfigs.relinquishesOnly(config);
        keepsInSync = !relinquishesOnly;
        if (relinquishesOnly) {
            setup.onDemand().weave(ReadErrorHooks.fetchRecords(), StepDownConfigs.ONLY);
        }
        boolean tracks = setup.supportsStepDown() ? StepDownConfigs.tracks(config, PendingReadsConfig.READ)
            : PendingReadsConfig.isOn(config, PendingReadsConfig.READ);
        return tracks ? new PendingReads(replicas, platform.access(), new KafkaClock(time), insync,
            PendingReadsConfig.lagTimeMaxMs(config)) : null;
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

    void requests(RequestPart started) {
        requests = started;
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
