package insync.lab.view;

import insync.agent.broker.Brokers;
import insync.agent.isr.PartitionState;
import insync.agent.kafka.BrokerAccess;
import insync.core.events.EventLog;
import insync.lab.events.PartitionEvents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import kafka.cluster.Partition;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import scala.Option;

/** Shows this broker's settings and the partitions that it leads to the bridge. Reads only, takes no lock. */
public final class LeaderView extends KafkaView {
    private final BrokerAccess access = Brokers.access();

    public LeaderView(ReplicaManager replicas, KafkaConfig config) {
        super(replicas, config);
    }

    @Override
    public List<String> ledPartitions(String topic) {
        return PartitionState.led(replicas).filter(each -> topic.isEmpty() || topic.equals(each.topic()))
            .map(each -> each.topic() + "-" + each.partitionId()).sorted().collect(Collectors.toList());
    }

    @Override
    public Map<String, Object> replicas(String topic, int partitionId) {
        Option<Partition> found = replicas.onlinePartition(new TopicPartition(topic, partitionId));
        return leads(found) ? replicas(found.get()) : null;
    }

    private Map<String, Object> replicas(Partition partition) {
        Object log = partition.log().get();
        Set<Integer> isr = PartitionState.isr(partition);
        List<Map<String, Object>> all = new ArrayList<>();
        for (int id : access.replicas(partition)) {
            Map<String, Object> one = EventLog.fields("id", id, "is_leader", id == config.brokerId(),
                "in_isr", isr.contains(id));
            if (id != config.brokerId()) {
                one.putAll(PartitionEvents.follower(partition, id));
                one.remove("replica");
            }
            all.add(one);
        }
        return EventLog.fields("topic", partition.topic(), "partition", partition.partitionId(),
            "leader", config.brokerId(), "leader_epoch", partition.getLeaderEpoch(),
            "isr", isr, "leo", FetchState.read(log, "logEndOffset"), "high_watermark", FetchState.read(log, "highWatermark"),
            "replicas", all);
    }

    @Override
    public Map<String, Object> ownReplica(String topic, int partitionId) {
        Option<Partition> found = replicas.onlinePartition(new TopicPartition(topic, partitionId));
        // A broker knows a new partition before it has its log.
        Option<?> log = found.isEmpty() ? Option.empty() : found.get().log();
        return log.isEmpty() ? null : EventLog.fields("log_start_offset", FetchState.read(log.get(), "logStartOffset"),
            "high_watermark", FetchState.read(log.get(), "highWatermark"), "leo", FetchState.read(log.get(), "logEndOffset"));
    }

    private static boolean leads(Option<Partition> partition) {
        return partition.isDefined() && partition.get().isLeader();
    }
}
