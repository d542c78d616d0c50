package insync.broker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import kafka.cluster.Partition;
import kafka.server.AlterPartitionManager;
import kafka.server.DelayedFetch;
import kafka.server.KafkaConfig;
import kafka.server.QuotaFactory;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.DelayedActionQueue;
import org.apache.kafka.server.common.DirectoryEventHandler;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogOffsetsListener;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.mockito.Answers;
import org.mockito.Mockito;
import org.mockito.stubbing.Answer;
import scala.Option;

/** Kafka 4.2 to 4.4: its own ReplicaManager and log on a mock clock, for a {@link Leader} and for the driver. */
final class BrokerParts {
    private static final BrokerTopicStats TOPIC_STATS = new BrokerTopicStats();

    private BrokerParts() { }

    /** A mock that does not record its calls, because a long test makes many. */
    static <T> T stub(Class<T> type) {
        return Mockito.mock(type, Mockito.withSettings().stubOnly().defaultAnswer(Answers.RETURNS_DEEP_STUBS));
    }

    /** @param waitingFetches the purgatory of fetches, or none for Kafka's own, in which they expire by real time */
    static ReplicaManager replicaManager(KafkaConfig config, MockTime time, MetadataCache metadata,
            QuotaFactory.QuotaManagers quotas, Option<DelayedOperationPurgatory<DelayedFetch>> waitingFetches,
            AlterPartitionManager alterPartitions) {
        return new ReplicaManager(config, new Metrics(), time, time.scheduler, Leader.logManager(), Option.empty(), quotas,
            metadata, new LogDirFailureChannel(1), alterPartitions, TOPIC_STATS, Option.empty(),
            waitingFetches, Option.empty(), Option.empty(), Option.empty(), Option.empty(), Leader.brokerEpoch(),
            Option.empty(), DirectoryEventHandler.NOOP, new DelayedActionQueue());
    }

    /** @param read replaces the log's read */
    static UnifiedLog log(Path folder, TopicPartition id, Uuid topicId, MockTime time, Answer<?> read) throws Exception {
        UnifiedLog real = UnifiedLog.create(folder.resolve(id.toString()).toFile(), new LogConfig(Map.of()), 0, 0,
            time.scheduler, TOPIC_STATS, time, 60_000, new ProducerStateManagerConfig(60_000, false), 60_000,
            new LogDirFailureChannel(1), true, Optional.of(topicId), new ConcurrentHashMap<>(), false,
            LogOffsetsListener.NO_OP_OFFSETS_LISTENER);
        UnifiedLog log = Mockito.mock(UnifiedLog.class, Mockito.withSettings().spiedInstance(real)
            .defaultAnswer(Answers.CALLS_REAL_METHODS).stubOnly());
        Mockito.doAnswer(read).when(log).read(Mockito.anyLong(), Mockito.anyInt(), Mockito.any(), Mockito.anyBoolean());
        return log;
    }

    /** Returns the controller's registration of a partition from a leader epoch on; added replicas come last. */
    static PartitionRegistration registration(int[] replicas, int[] isr, int leader, int epoch, int... adding) {
        return new PartitionRegistration.Builder().setReplicas(replicas)
            .setDirectories(DirectoryId.unassignedArray(replicas.length)).setIsr(isr).setAddingReplicas(adding)
            .setLeader(leader).setLeaderRecoveryState(LeaderRecoveryState.RECOVERED).setLeaderEpoch(epoch)
            .setPartitionEpoch(epoch).build();
    }

    /** Makes broker self leader or follower of the partition according to the registration. */
    static void elect(Partition partition, int self, PartitionRegistration registration, Uuid topicId) {
        OffsetCheckpoints none = (dir, id) -> Optional.empty();
        if (registration.leader == self) {
            partition.makeLeader(registration, false, none, Option.apply(topicId), Option.empty());
        } else {
            partition.makeFollower(registration, false, none, Option.apply(topicId), Option.empty());
        }
    }

    static void append(UnifiedLog log, long records, long nowMs, int leaderEpoch) throws Exception {
        List<SimpleRecord> all = new ArrayList<>();
        for (long i = 0; i < records; i++) {
            all.add(new SimpleRecord(nowMs, new byte[] {1}));
        }
        log.appendAsLeader(MemoryRecords.withRecords(Compression.NONE, all.toArray(new SimpleRecord[0])), leaderEpoch);
    }
}
