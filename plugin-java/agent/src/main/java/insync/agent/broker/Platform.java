package insync.agent.broker;

import com.yammer.metrics.core.MetricsRegistry;
import insync.agent.kafka.BrokerAccess;
import insync.agent.logstart.LogStartHooks;
import insync.agent.stepdown.broker.ControllerAccess;
import insync.agent.stepdown.broker.StepDownAccess;
import insync.agent.weave.Hook;
import insync.core.BrokerView;
import java.util.List;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;

/** Contains what the adapter of the broker's version provides to every broker. */
public class Platform {
    private final BrokerAccess access;
    private final StepDownAccess stepDown;
    private final ControllerAccess controller;
    private final LogStartHooks logStart;
    private final List<Hook> appends;

    /**
     * @param access reads a broker; null if no scope of pending fetches is supported
     * @param stepDown reads what solution 2 needs; null if that is not supported
     * @param controller sends to the controller; null if solution 2 is not supported
     * @param logStart the hooks behind the configs against KAFKA-7104
     * @param appends the hooks that time a leader's appends; none if solution 2 is not supported
     */
    public Platform(BrokerAccess access, StepDownAccess stepDown, ControllerAccess controller,
                    LogStartHooks logStart, List<Hook> appends) {
        this.access = access;
        this.stepDown = stepDown;
        this.controller = controller;
        this.logStart = logStart;
        this.appends = appends;
    }

    /**
     * Returns the bridge's view of a broker.
     *
     * @param version Kafka's version
     */
    public BrokerView view(ReplicaManager replicas, KafkaConfig config, String version) {
        return new LeaderView(access, replicas, config, version);
    }

    /** Returns the registry behind Kafka's reporters. */
    public MetricsRegistry metrics() {
        return access.metrics();
    }

    BrokerAccess access() {
        return access;
    }

    StepDownAccess stepDown() {
        return stepDown;
    }

    ControllerAccess controller() {
        return controller;
    }

    LogStartHooks logStart() {
        return logStart;
    }

    List<Hook> appends() {
        return appends;
    }
}
