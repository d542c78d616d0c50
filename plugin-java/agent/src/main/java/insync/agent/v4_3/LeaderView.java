package insync.agent.v4_3;

import insync.agent.kafka.PartitionEvents;
import insync.agent.kafka.Settings;
import insync.core.BrokerView;
import insync.core.EventLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;

/** What the bridge may see: this broker's settings, and the partitions it leads. Reads only, takes no lock. */
final class LeaderView implements BrokerView {
    private final ReplicaManager replicas;
    private final KafkaConfig config;
    private final String version;

    LeaderView(ReplicaManager replicas, KafkaConfig config, String version) {
        this.replicas = replicas;
        this.config = config;
        this.version = version;
    }

    @Override
    public int brokerId() {
        return config.brokerId();
    }

    @Override
    public String brokerVersion() {
        return version;
    }

    @Override
    public Map<String, Object> settings() {
        return EventLog.fields(Settings.PENDING_READS, Settings.enabled(config), Settings.SCOPE, Settings.scope(config),
            "replica.lag.time.max.ms", config.replicaLagTimeMaxMs());
    }

    @Override
    public List<String> ledPartitions(String topic) {
        TreeSet<String> led = new TreeSet<>();
        for (String name : topic.isEmpty() ? replicas.metadataCache().getAllTopics() : Set.of(topic)) {
            int partitions = replicas.metadataCache().numPartitions(name).orElse(0);
            for (int id = 0; id < partitions; id++) {
                if (leads(replicas.onlinePartition(new TopicPartition(name, id)))) {
                    led.add(name + "-" + id);
                }
            }
        }
        return new ArrayList<>(led);
    }

    @Override
    public Map<String, Object> replicas(String topic, int partitionId) {
        Option<Partition> found = replicas.onlinePartition(new TopicPartition(topic, partitionId));
        return leads(found) ? replicas(found.get(), found.get().localLogOrException()) : null;
    }

    private Map<String, Object> replicas(Partition partition, UnifiedLog log) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (int id : partition.assignmentState().replicas()) {
            Map<String, Object> one = EventLog.fields("id", id, "is_leader", id == config.brokerId(),
                "in_isr", partition.partitionState().isr().contains(id));
            if (id != config.brokerId()) {
                one.putAll(PartitionEvents.follower(partition, id));
                one.remove("replica");
            }
            all.add(one);
        }
        return EventLog.fields("topic", partition.topic(), "partition", partition.partitionId(),
            "leader", config.brokerId(), "leader_epoch", partition.getLeaderEpoch(),
            "isr", new TreeSet<>(partition.partitionState().isr()),
            "leo", log.logEndOffset(), "high_watermark", log.highWatermark(), "replicas", all);
    }

    private static boolean leads(Option<Partition> partition) {
        return partition.isDefined() && partition.get().isLeader();
    }
}
