package insync.agent.stepdown.broker;

import insync.agent.broker.KafkaBroker;
import insync.agent.stepdown.broker.AlterPartitionManagerHooks.ControllerLink;
import insync.core.Insync;
import insync.core.stepdown.OutgoingFetch;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.utils.Time;

/** The brokers of this JVM that may step down; a process has one, Kafka's own tests have several. */
public final class StepDowns {
    private static final Map<Integer, BrokerStepDown> BROKERS = new ConcurrentHashMap<>();
    private static volatile boolean active;
    private static volatile StepDownAccess access;

    private StepDowns() { }

    /** @param adapted what the broker's version brings */
    public static void prepare(StepDownAccess adapted) {
        access = adapted;
        StepDownConfigs.allow();
    }

    /** Whether there is any such broker; hooks of brokers without read this and no more. */
    public static boolean active() {
        return active;
    }

    /** A broker's ReplicaManager is made. */
    public static void started(ReplicaManager replicas, KafkaConfig config, Time time, Object manager) {
        if (!StepDownConfigs.isOn(config)) {
            return;
        }
        Insync insync = Insync.current();
        if (!(manager instanceof ControllerLink) || !access.isKRaft(replicas)) {
            insync.events().emit("step_down_impossible", StepDownConfigs.all(config));
            System.err.println("[insync] " + StepDownConfigs.PROCESS_TIME_MAX_MS
                + " has no effect: this broker has no KRaft controller to ask");
            return;
        }
        BrokerStepDown broker = new BrokerStepDown(replicas, config, time, (ControllerLink) manager, access, insync);
        add(config.brokerId(), broker);
        insync.events().emit("step_down_settings", StepDownConfigs.all(config));
        StepDownMetrics.register(KafkaBroker.access().metrics(), insync.stepDowns());
        broker.start();
    }

    public static void stopped(KafkaConfig config) {
        BrokerStepDown broker = remove(config.brokerId());
        if (broker != null) {
            broker.stop();
        }
    }

    public static void leading(Partition partition, int brokerId) {
        BrokerStepDown broker = BROKERS.get(brokerId);
        if (broker != null) {
            broker.leading(partition);
        }
    }

    /** @param leaderEpoch the one that the partition is in still */
    public static void losing(Partition partition, int brokerId, int leaderEpoch, Object newState) {
        BrokerStepDown broker = BROKERS.get(brokerId);
        if (broker != null && partition.isLeader() && access.leaderEpoch(newState) > leaderEpoch) {
            broker.over(partition, leaderEpoch);
        }
    }

    /** For a new fetcher of a broker's; null where it may not step down. */
    public static OutgoingFetch fetcher(KafkaConfig config, int peer) {
        BrokerStepDown broker = active ? BROKERS.get(config.brokerId()) : null;
        return broker == null ? null : broker.fetcher(peer);
    }

    private static synchronized void add(int brokerId, BrokerStepDown broker) {
        BROKERS.put(brokerId, broker);
        active = true;
    }

    private static synchronized BrokerStepDown remove(int brokerId) {
        BrokerStepDown gone = BROKERS.remove(brokerId);
        active = !BROKERS.isEmpty();
        return gone;
    }
}
