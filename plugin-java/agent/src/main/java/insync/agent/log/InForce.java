package insync.agent.log;

import insync.agent.Features;
import insync.agent.isr.PendingReadsConfig;
import insync.agent.stepdown.broker.StepDownConfigs;
import insync.core.log.BrokerLog;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import java.util.List;
import kafka.server.KafkaConfig;

/** Logs what of KIP-501 is on in a broker: at its start, and after an update of its configs. */
public final class InForce {

    private InForce() { }

    /** @param configs the plugin's configs that are not at their defaults, as key=value */
    public static void started(BrokerLog log, KafkaConfig config, List<String> configs) {
        Features features = Features.current();
        String line = "[Broker " + config.brokerId() + "] The insync agent " + features.agentVersion() + " (adapter "
            + features.adapter + ") runs in Kafka " + features.brokerVersion + ". " + solutions(config) + " "
            + String.join(", ", configs);
        log.offer(Name.AGENT, Level.INFO, () -> line);
    }

    /** @param updates the configs that changed, as key=value */
    public static void updated(BrokerLog log, KafkaConfig config, String updates) {
        String line = "[Broker " + config.brokerId() + "] Configs were updated: " + updates + ". " + solutions(config);
        log.offer(Name.AGENT, Level.INFO, () -> line);
    }

    /** Returns whether each solution is on, with its scope or its time. */
    static String solutions(KafkaConfig config) {
        Features features = Features.current();
        if (features.scopes().isEmpty()) {
            return "This version of Kafka has no KIP-501.";
        }
        String first = PendingReadsConfig.enabled(config) ? "on, scope " + PendingReadsConfig.scope(config) : "off";
        boolean stepsDown = features.supportsStepDown() && StepDownConfigs.isOn(config);
        return "KIP-501: solution 1 is " + first + "; solution 2 is " + (stepsDown
            ? "on, " + StepDownConfigs.limit(config) : "off") + ".";
    }
}
