package insync.broker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import kafka.cluster.Partition;
import kafka.log.UnifiedLog;
import kafka.server.AlterPartitionManager;
import kafka.server.BrokerTopicStats;
import kafka.server.KafkaConfig;
import kafka.server.MetadataCache;
import kafka.server.QuotaFactory;
import kafka.server.ReplicaManager;
import kafka.server.ReplicaQuota;
import kafka.server.RequestLocal;
import kafka.server.TopicPartitionOperationKey;
import kafka.server.checkpoints.OffsetCheckpoints;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.LeaderAndIsrRequestData.LeaderAndIsrPartitionState;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.server.common.DirectoryEventHandler;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.FetchIsolation;
import org.apache.kafka.storage.internals.log.FetchParams;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogOffsetsListener;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.mockito.Mockito;
import org.mockito.stubbing.Answer;
import scala.Option;

/** The parts of a {@link Leader} whose types belong to Kafka 3.9. */
final class KafkaParts extends KRaftParts {
    private final BrokerTopicStats topicStats = new BrokerTopicStats(false);
    private UnifiedLog log;

    KafkaParts(KafkaConfig config) {
        this(config, new MockTime(), Mockito.mock(MetadataCache.class),
            Mockito.mock(AlterPartitionManager.class, Mockito.RETURNS_DEEP_STUBS));
    }

    KafkaParts(KafkaConfig config, MockTime time, MetadataCache metadata, AlterPartitionManager manager) {
        super(time);
        replicas = new ReplicaManager(config, new Metrics(), time, time.scheduler, Leader.logManager(), Option.empty(),
            Mockito.mock(QuotaFactory.QuotaManagers.class), metadata, new LogDirFailureChannel(1), manager,
            topicStats, new AtomicBoolean(), Option.empty(), Option.empty(), Option.empty(), Option.empty(),
            Option.empty(), Option.empty(), Option.empty(), Leader.brokerEpoch(), Option.empty(),
            DirectoryEventHandler.NOOP);
    }

    void openLog(Partition partition, Path folder, Answer<?> read) throws Exception {
        log = Mockito.spy(UnifiedLog.apply(folder.resolve(Leader.EVENTS_0.toString()).toFile(), new LogConfig(Map.of()), 0,
            0, time.scheduler, topicStats, time, 60_000, new ProducerStateManagerConfig(60_000, false), 60_000,
            new LogDirFailureChannel(1), true, Option.apply(Leader.TOPIC_ID), true, new ConcurrentHashMap<>(), false,
            LogOffsetsListener.NO_OP_OFFSETS_LISTENER));
        Mockito.doAnswer(read).when(log).read(Mockito.anyLong(), Mockito.anyInt(), Mockito.any(), Mockito.anyBoolean());
        partition.setLog(log, false);
    }

    void elect(Partition partition, int leader, int epoch, List<Integer> adding) {
        OffsetCheckpoints none = Mockito.mock(OffsetCheckpoints.class);
        Mockito.when(none.fetch(Mockito.any(), Mockito.any())).thenReturn(Option.empty());
        List<Integer> all = new ArrayList<>(Leader.REPLICAS);
        all.addAll(adding);
        LeaderAndIsrPartitionState state = new LeaderAndIsrPartitionState()
            .setTopicName(partition.topic()).setPartitionIndex(partition.partitionId()).setLeader(leader)
            .setLeaderEpoch(epoch).setPartitionEpoch(epoch).setIsr(Leader.REPLICAS).setReplicas(all)
            .setAddingReplicas(adding);
        if (leader == Leader.LEADER) {
            partition.makeLeader(state, none, Option.apply(Leader.TOPIC_ID), Option.empty());
        } else {
            partition.makeFollower(state, none, Option.apply(Leader.TOPIC_ID), Option.empty());
        }
    }

    void append(long leo, int leaderEpoch) {
        List<SimpleRecord> records = new ArrayList<>();
        for (long offset = log.logEndOffset(); offset < leo; offset++) {
            records.add(new SimpleRecord(time.milliseconds(), new byte[] {1}));
        }
        log.appendAsLeader(MemoryRecords.withRecords(Compression.NONE, records.toArray(new SimpleRecord[0])),
            leaderEpoch, AppendOrigin.CLIENT, MetadataVersion.LATEST_PRODUCTION,
            RequestLocal.NoCaching(), VerificationGuard.SENTINEL);
    }

    void fetch(Leader leader, long offset, Optional<Integer> leaderEpoch, List<Errors> answers) {
        FetchParams params = new FetchParams(ApiKeys.FETCH.latestVersion(), Leader.FOLLOWER, 1L, 500, 1, 1 << 20,
            FetchIsolation.LOG_END, Optional.empty());
        FetchRequest.PartitionData data =
            new FetchRequest.PartitionData(Leader.TOPIC_ID, offset, 0, 1 << 20, leaderEpoch);
        replicas.fetchMessages(params,
            leader.partitionsOf(new TopicIdPartition(Leader.TOPIC_ID, Leader.EVENTS_0), data),
            Mockito.mock(ReplicaQuota.class), Leader.callback(response -> answers.add(response.head()._2().error)));
    }

    /** Reads and records a fetch of a follower, and returns the result in words. */
    static String read(Partition partition, int replica, long offset, long timeMs) {
        FetchParams params = new FetchParams(ApiKeys.FETCH.latestVersion(), replica, 1L, 500, 1, 1 << 20,
            FetchIsolation.LOG_END, Optional.empty());
        FetchRequest.PartitionData data = new FetchRequest.PartitionData(Leader.TOPIC_ID, offset, 0, 1 << 20,
            Optional.of(partition.getLeaderEpoch()));
        return partition.fetchRecords(params, data, timeMs, 1 << 20, true, true).toString();
    }

    void completeDelayedFetches() {
        replicas.delayedFetchPurgatory().checkAndComplete(
            new TopicPartitionOperationKey(Leader.EVENTS_0.topic(), Leader.EVENTS_0.partition()));
    }

    void close() {
        log.close();
    }
}
