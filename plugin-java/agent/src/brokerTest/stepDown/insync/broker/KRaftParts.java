package insync.broker;

import com.yammer.metrics.core.MetricsRegistry;
import java.util.Map;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;

/** The parts of a {@link Leader} that are the same source from Kafka 3.9 on. */
abstract class KRaftParts {
    static final Map<String, String> CONFIGS = Leader.KRAFT;

    final MockTime time;
    /** Set by the constructors of each version. */
    ReplicaManager replicas;

    KRaftParts(MockTime time) {
        this.time = time;
    }

    final Time time() {
        return time;
    }

    final ReplicaManager replicas() {
        return replicas;
    }

    final void recordFetchNow(Partition partition, long offset) {
        partition.getReplica(Leader.FOLLOWER).get().updateFetchStateOrThrow(new LogOffsetMetadata(offset), 0,
            time.milliseconds(), partition.localLogOrException().logEndOffset(), 1);
    }

    final long lastCaughtUpMs(Partition partition) {
        return partition.getReplica(Leader.FOLLOWER).get().stateSnapshot().lastCaughtUpTimeMs();
    }

    /** Returns the registry behind Kafka's reporters. */
    static MetricsRegistry registry() {
        return KafkaYammerMetrics.defaultRegistry();
    }

    /** Applies a broker's configs to Kafka's JMX reporter, as its start does. */
    static void configureJmx(Map<String, String> configs) {
        KafkaYammerMetrics.INSTANCE.configure(configs);
    }
}
