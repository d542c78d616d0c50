package insync.lab.v1_1;

import insync.core.events.EventLog;
import insync.lab.view.FetchState;
import insync.lab.view.KafkaView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import scala.Option;
import scala.collection.Iterator;

/** Shows a broker to the bridge. Reads only, takes no lock. */
final class View extends KafkaView {

    View(ReplicaManager replicas, KafkaConfig config) {
        super(replicas, config);
    }

    @Override
    public List<String> ledPartitions(String topic) {
        TreeSet<String> led = new TreeSet<>();
        Iterator<String> topics = replicas.metadataCache().getAllTopics().iterator();
        while (topics.hasNext()) {
            String name = topics.next();
            if (topic.isEmpty() || topic.equals(name)) {
                addLed(name, led);
            }
        }
        return new ArrayList<>(led);
    }

    private void addLed(String topic, TreeSet<String> led) {
        for (int id = 0; replicas.metadataCache().getPartitionInfo(topic, id).isDefined(); id++) {
            if (leads(replicas.getPartition(new TopicPartition(topic, id)))) {
                led.add(topic + "-" + id);
            }
        }
    }

    @Override
    public Map<String, Object> replicas(String topic, int partitionId) {
        Option<Partition> found = replicas.getPartition(new TopicPartition(topic, partitionId));
        return leads(found) ? replicas(found.get(), found.get().leaderReplicaIfLocal().get()) : null;
    }

    private Map<String, Object> replicas(Partition partition, Replica own) {
        TreeSet<Integer> isr = new TreeSet<>();
        Iterator<Replica> inSync = partition.inSyncReplicas().iterator();
        while (inSync.hasNext()) {
            isr.add(inSync.next().brokerId());
        }
        List<Map<String, Object>> all = new ArrayList<>();
        Iterator<Replica> assigned = partition.assignedReplicas().iterator();
        while (assigned.hasNext()) {
            Replica each = assigned.next();
            Map<String, Object> one = EventLog.fields("id", each.brokerId(),
                "is_leader", each.brokerId() == config.brokerId(), "in_isr", isr.contains(each.brokerId()));
            if (each.brokerId() != config.brokerId()) {
                one.putAll(FetchState.of(each, each.logEndOffset().messageOffset()));
            }
            all.add(one);
        }
        return EventLog.fields("topic", partition.topic(), "partition", partition.partitionId(),
            "leader", config.brokerId(), "leader_epoch", partition.getLeaderEpoch(), "isr", isr,
            "leo", own.logEndOffset().messageOffset(), "high_watermark", own.highWatermark().messageOffset(),
            "replicas", all);
    }

    private static boolean leads(Option<Partition> partition) {
        return partition.isDefined() && partition.get().leaderReplicaIfLocal().isDefined();
    }

    @Override
    public Map<String, Object> ownReplica(String topic, int partitionId) {
        Option<Replica> found = replicas.getReplica(new TopicPartition(topic, partitionId), config.brokerId());
        if (found.isEmpty() || !found.get().isLocal()) {
            return null;
        }
        Replica own = found.get();
        return EventLog.fields("log_start_offset", own.logStartOffset(),
            "high_watermark", own.highWatermark().messageOffset(), "leo", own.logEndOffset().messageOffset());
    }
}
