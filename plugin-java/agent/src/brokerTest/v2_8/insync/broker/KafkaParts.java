package insync.broker;

import com.yammer.metrics.core.MetricsRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import kafka.api.ApiVersion;
import kafka.cluster.Partition;
import kafka.log.AppendOrigin;
import kafka.log.Log;
import kafka.log.LogConfig;
import kafka.metrics.KafkaYammerMetrics;
import kafka.server.AlterIsrManager;
import kafka.server.BrokerTopicStats;
import kafka.server.KafkaConfig;
import kafka.server.LogDirFailureChannel;
import kafka.server.LogOffsetMetadata;
import kafka.server.MetadataCache;
import kafka.server.QuotaFactory;
import kafka.server.ReplicaManager;
import kafka.server.ReplicaQuota;
import kafka.server.TopicPartitionOperationKey;
import kafka.server.checkpoints.OffsetCheckpoints;
import kafka.server.metadata.CachedConfigRepository;
import kafka.utils.MockTime;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.message.LeaderAndIsrRequestData.LeaderAndIsrPartitionState;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.utils.Time;
import org.mockito.Mockito;
import org.mockito.stubbing.Answer;
import scala.Option;

/** The parts of a {@link Leader} whose types belong to Kafka 2.8. */
final class KafkaParts {
    static final Map<String, String> CONFIGS = Map.of("zookeeper.connect", "127.0.0.1:2181",
        "broker.id", String.valueOf(Leader.LEADER), "broker.id.generation.enable", "false");

    private final MockTime time = new MockTime();
    private final BrokerTopicStats topicStats = new BrokerTopicStats();
    private final ReplicaManager replicas;
    private Log log;

    KafkaParts(KafkaConfig config) {
        replicas = new ReplicaManager(config, new Metrics(), time, Option.empty(), time.scheduler(), Leader.logManager(),
            new AtomicBoolean(), Mockito.mock(QuotaFactory.QuotaManagers.class), topicStats,
            Mockito.mock(MetadataCache.class), new LogDirFailureChannel(1), Mockito.mock(AlterIsrManager.class),
            new CachedConfigRepository(), Option.empty());
    }

    Time time() {
        return time;
    }

    ReplicaManager replicas() {
        return replicas;
    }

    void openLog(Partition partition, Path folder, Answer<?> read) {
        log = Mockito.spy(Log.apply(folder.resolve(Leader.EVENTS_0.toString()).toFile(),
            new LogConfig(Map.of(), LogConfig.apply$default$2()), 0, 0, time.scheduler(), topicStats, time, 60_000, 60_000,
            new LogDirFailureChannel(1), true, true));
        Mockito.doAnswer(read).when(log).read(Mockito.anyLong(), Mockito.anyInt(), Mockito.any(), Mockito.anyBoolean());
        partition.setLog(log, false);
    }

    void elect(Partition partition, int leader, int epoch, List<Integer> adding) {
        OffsetCheckpoints none = Mockito.mock(OffsetCheckpoints.class);
        Mockito.when(none.fetch(Mockito.any(), Mockito.any())).thenReturn(Option.empty());
        LeaderAndIsrPartitionState state = new LeaderAndIsrPartitionState()
            .setTopicName(partition.topic()).setPartitionIndex(partition.partitionId()).setLeader(leader)
            .setLeaderEpoch(epoch).setZkVersion(epoch).setIsr(Leader.REPLICAS).setReplicas(Leader.REPLICAS);
        if (leader == Leader.LEADER) {
            partition.makeLeader(state, none);
        } else {
            partition.makeFollower(state, none);
        }
    }

    void append(long leo, int leaderEpoch) {
        List<SimpleRecord> records = new ArrayList<>();
        for (long offset = log.logEndOffset(); offset < leo; offset++) {
            records.add(new SimpleRecord(time.milliseconds(), new byte[] {1}));
        }
        MemoryRecords batch = MemoryRecords.withRecords(CompressionType.NONE, records.toArray(new SimpleRecord[0]));
        log.appendAsLeader(batch, leaderEpoch, AppendOrigin.Client$.MODULE$, ApiVersion.latestVersion());
    }

    void fetch(Leader leader, long offset, Optional<Integer> leaderEpoch, List<Errors> answers) {
        FetchRequest.PartitionData data = new FetchRequest.PartitionData(offset, 0, 1 << 20, leaderEpoch);
        replicas.fetchMessages(500, Leader.FOLLOWER, 1, 1 << 20, false, leader.partitionsOf(Leader.EVENTS_0, data),
            Mockito.mock(ReplicaQuota.class), Leader.callback(response -> answers.add(response.head()._2().error())),
            IsolationLevel.READ_UNCOMMITTED, Option.empty());
    }

    void recordFetchNow(Partition partition, long offset) {
        partition.getReplica(Leader.FOLLOWER).get().updateFetchState(new LogOffsetMetadata(offset, 0, 0), 0,
            time.milliseconds(), log.logEndOffset());
    }

    void completeDelayedFetches() {
        replicas.delayedFetchPurgatory().checkAndComplete(
            new TopicPartitionOperationKey(Leader.EVENTS_0.topic(), Leader.EVENTS_0.partition()));
    }

    long lastCaughtUpMs(Partition partition) {
        return partition.getReplica(Leader.FOLLOWER).get().lastCaughtUpTimeMs();
    }

    /** Returns the registry behind Kafka's reporters. */
    static MetricsRegistry registry() {
        return KafkaYammerMetrics.defaultRegistry();
    }

    /** Applies a broker's configs to Kafka's JMX reporter, as its start does. */
    static void configureJmx(Map<String, String> configs) {
        KafkaYammerMetrics.INSTANCE.configure(configs);
    }

    void close() {
        log.close();
    }
}
