package insync.broker;

import java.io.File;
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
import kafka.server.AlterIsrManager;
import kafka.server.BrokerTopicStats;
import kafka.server.FetchPartitionData;
import kafka.server.KafkaConfig;
import kafka.server.LogDirFailureChannel;
import kafka.server.MetadataCache;
import kafka.server.QuotaFactory;
import kafka.server.ReplicaManager;
import kafka.server.ReplicaQuota;
import kafka.server.TopicPartitionOperationKey;
import kafka.server.checkpoints.OffsetCheckpoints;
import kafka.server.metadata.CachedConfigRepository;
import kafka.utils.MockTime;
import kafka.utils.Scheduler;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.LeaderAndIsrRequestData.LeaderAndIsrPartitionState;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.mockito.Mockito;
import scala.Option;
import scala.Tuple2;
import scala.collection.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Kafka 2.8. */
final class RealLeader extends Leader {
    private final Scheduler scheduler;
    private final ReplicaManager replicas;
    private final Partition partition;
    private final Log log;

    RealLeader(Path folder, boolean enable) throws Exception {
        this(folder, enable, new MockTime());
    }

    private RealLeader(Path folder, boolean enable, MockTime clock) throws Exception {
        super(clock);
        scheduler = clock.scheduler();
        KafkaConfig config = config(folder, enable,
            Map.of("zookeeper.connect", "127.0.0.1:2181", "broker.id", String.valueOf(LEADER),
                "broker.id.generation.enable", "false"));
        BrokerTopicStats topicStats = new BrokerTopicStats();
        replicas = replicaManager(config, topicStats);
        partition = replicas.createPartition(EVENTS_0);
        log = Mockito.spy(newLog(folder, topicStats));
        Mockito.doAnswer(stallingRead()).when(log)
            .read(Mockito.anyLong(), Mockito.anyInt(), Mockito.any(), Mockito.anyBoolean());
        partition.setLog(log, false);
        elect(5);
    }

    private ReplicaManager replicaManager(KafkaConfig config, BrokerTopicStats topicStats) {
        return new ReplicaManager(config, new Metrics(), time, Option.empty(), scheduler, logManager(),
            new AtomicBoolean(), Mockito.mock(QuotaFactory.QuotaManagers.class), topicStats,
            Mockito.mock(MetadataCache.class), new LogDirFailureChannel(1), Mockito.mock(AlterIsrManager.class),
            new CachedConfigRepository(), Option.empty());
    }

    private Log newLog(Path folder, BrokerTopicStats topicStats) {
        File partitionFolder = folder.resolve(EVENTS_0.toString()).toFile();
        return Log.apply(partitionFolder, new LogConfig(Map.of(), LogConfig.apply$default$2()), 0, 0, scheduler,
            topicStats, time, 60_000, 60_000, new LogDirFailureChannel(1), true, true);
    }

    @Override
    Partition partition() {
        return partition;
    }

    @Override
    void elect(int leader, int epoch) {
        OffsetCheckpoints none = Mockito.mock(OffsetCheckpoints.class);
        Mockito.when(none.fetch(Mockito.any(), Mockito.any())).thenReturn(Option.empty());
        LeaderAndIsrPartitionState state = new LeaderAndIsrPartitionState()
            .setTopicName(EVENTS_0.topic()).setPartitionIndex(EVENTS_0.partition()).setLeader(leader)
            .setLeaderEpoch(epoch).setZkVersion(epoch).setIsr(REPLICAS).setReplicas(REPLICAS);
        if (leader == LEADER) {
            partition.makeLeader(state, none);
        } else {
            partition.makeFollower(state, none);
        }
    }

    @Override
    void appendUpTo(long leo) {
        List<SimpleRecord> records = new ArrayList<>();
        for (long offset = log.logEndOffset(); offset < leo; offset++) {
            records.add(new SimpleRecord(time.milliseconds(), new byte[] {1}));
        }
        MemoryRecords batch = MemoryRecords.withRecords(CompressionType.NONE, records.toArray(new SimpleRecord[0]));
        log.appendAsLeader(batch, partition.getLeaderEpoch(), AppendOrigin.Client$.MODULE$,
            ApiVersion.latestVersion());
    }

    @Override
    void fetch(long offset, List<Errors> answers) {
        FetchRequest.PartitionData data = new FetchRequest.PartitionData(offset, 0, 1 << 20,
            Optional.of(partition.getLeaderEpoch()));
        replicas.fetchMessages(500, FOLLOWER, 1, 1 << 20, false, partitionsOf(EVENTS_0, data),
            Mockito.mock(ReplicaQuota.class),
            new AbstractFunction1<Seq<Tuple2<TopicPartition, FetchPartitionData>>, BoxedUnit>() {
                @Override
                public BoxedUnit apply(Seq<Tuple2<TopicPartition, FetchPartitionData>> response) {
                    answers.add(response.head()._2().error());
                    return BoxedUnit.UNIT;
                }
            }, IsolationLevel.READ_UNCOMMITTED, Option.empty());
    }

    @Override
    void completeDelayedFetches() {
        replicas.delayedFetchPurgatory().checkAndComplete(
            new TopicPartitionOperationKey(EVENTS_0.topic(), EVENTS_0.partition()));
    }

    @Override
    long lastCaughtUpMs() {
        return partition.getReplica(FOLLOWER).get().lastCaughtUpTimeMs();
    }

    @Override
    public void close() {
        log.close();
    }
}
