package insync.broker;

import insync.agent.broker.Brokers;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import kafka.cluster.Partition;
import kafka.log.UnifiedLog;
import kafka.server.AlterPartitionManager;
import kafka.server.KafkaConfig;
import kafka.server.MetadataCache;
import kafka.server.QuotaFactory;
import kafka.server.ReplicaManager;
import kafka.server.ReplicaQuota;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.LeaderAndIsrRequest;
import org.apache.kafka.server.DelayedActionQueue;
import org.apache.kafka.server.common.DirectoryEventHandler;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogOffsetsListener;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.mockito.Mockito;
import scala.Option;
import scala.Tuple2;
import scala.collection.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Kafka 4.0. */
final class RealLeader extends Leader {
    private final KafkaConfig config;
    private final Scheduler scheduler;
    private final ReplicaManager replicas;
    private final Partition partition;
    private final UnifiedLog log;

    RealLeader(Path folder, boolean enable) throws Exception {
        this(folder, config(folder, enable, KRAFT));
    }

    RealLeader(Path folder, Map<String, String> configs) throws Exception {
        this(folder, config(folder, configs));
    }

    private RealLeader(Path folder, KafkaConfig config) throws Exception {
        this(folder, config, new MockTime(), Mockito.mock(MetadataCache.class),
            time -> Mockito.mock(AlterPartitionManager.class, Mockito.RETURNS_DEEP_STUBS));
    }

    /** With both solutions on, and a controller that the test plays. */
    RealLeader(Path folder, FakeController controller, long afterMs, Map<String, String> configs) throws Exception {
        this(folder, config(folder, true, stepsDown(afterMs, configs)), new MockTime(),
            StepDownParts.metadata(controller), time -> StepDownParts.manager(controller, time));
    }

    private RealLeader(Path folder, KafkaConfig config, MockTime clock, MetadataCache metadata,
            Function<MockTime, AlterPartitionManager> manager) throws Exception {
        super(clock);
        scheduler = clock.scheduler;
        this.config = config;
        BrokerTopicStats topicStats = new BrokerTopicStats();
        replicas = replicaManager(metadata, manager.apply(clock), topicStats);
        partition = replicas.createPartition(EVENTS_0);
        log = Mockito.spy(newLog(folder, topicStats));
        Mockito.doAnswer(stallingRead()).when(log)
            .read(Mockito.anyLong(), Mockito.anyInt(), Mockito.any(), Mockito.anyBoolean());
        partition.setLog(log, false);
        elect(5);
    }

    private ReplicaManager replicaManager(MetadataCache metadata, AlterPartitionManager manager,
            BrokerTopicStats topicStats) {
        return new ReplicaManager(config, new Metrics(), time, scheduler, logManager(), Option.empty(),
            Mockito.mock(QuotaFactory.QuotaManagers.class), metadata, new LogDirFailureChannel(1), manager,
            topicStats, new AtomicBoolean(), Option.empty(), Option.empty(), Option.empty(), Option.empty(),
            Option.empty(), Option.empty(), Option.empty(), brokerEpoch(), Option.empty(), DirectoryEventHandler.NOOP,
            new DelayedActionQueue());
    }

    private UnifiedLog newLog(Path folder, BrokerTopicStats topicStats) throws Exception {
        File partitionFolder = folder.resolve(EVENTS_0.toString()).toFile();
        return UnifiedLog.apply(partitionFolder, new LogConfig(Map.of()), 0, 0, scheduler, topicStats,
            time, 60_000, new ProducerStateManagerConfig(60_000, false), 60_000, new LogDirFailureChannel(1), true,
            Option.apply(TOPIC_ID), true, new ConcurrentHashMap<>(), false, LogOffsetsListener.NO_OP_OFFSETS_LISTENER);
    }

    @Override
    Partition partition() {
        return partition;
    }

    @Override
    void elect(int leader, int epoch) {
        OffsetCheckpoints none = (dir, id) -> Optional.empty();
        LeaderAndIsrRequest.PartitionState state = new LeaderAndIsrRequest.PartitionState()
            .setTopicName(EVENTS_0.topic()).setPartitionIndex(EVENTS_0.partition()).setLeader(leader)
            .setLeaderEpoch(epoch).setPartitionEpoch(epoch).setIsr(REPLICAS).setReplicas(REPLICAS);
        if (leader == LEADER) {
            partition.makeLeader(state, none, Option.apply(TOPIC_ID), Option.empty());
        } else {
            partition.makeFollower(state, none, Option.apply(TOPIC_ID), Option.empty());
        }
    }

    /** A reassignment begins that adds a replica. */
    void addReplica(int replica, int epoch) {
        OffsetCheckpoints none = (dir, id) -> Optional.empty();
        List<Integer> all = new ArrayList<>(REPLICAS);
        all.add(replica);
        partition.makeLeader(new LeaderAndIsrRequest.PartitionState().setTopicName(EVENTS_0.topic())
            .setPartitionIndex(EVENTS_0.partition()).setLeader(LEADER).setLeaderEpoch(epoch).setPartitionEpoch(epoch)
            .setIsr(REPLICAS).setReplicas(all).setAddingReplicas(List.of(replica)), none, Option.apply(TOPIC_ID),
            Option.empty());
    }

    /** A produce request with acks=all, and what it is answered. */
    void produceToAll(Consumer<Errors> answered) {
        StepDownParts.produceToAll(replicas, answered);
    }

    void stopWatch() {
        Brokers.replicaManagerStopped(config);
    }

    @Override
    void appendUpTo(long leo) {
        List<SimpleRecord> records = new ArrayList<>();
        for (long offset = log.logEndOffset(); offset < leo; offset++) {
            records.add(new SimpleRecord(time.milliseconds(), new byte[] {1}));
        }
        log.appendAsLeader(MemoryRecords.withRecords(Compression.NONE, records.toArray(new SimpleRecord[0])),
            partition.getLeaderEpoch(), AppendOrigin.CLIENT, RequestLocal.noCaching(), VerificationGuard.SENTINEL);
    }

    @Override
    void fetch(long offset, List<Errors> answers) {
        FetchParams params = new FetchParams(ApiKeys.FETCH.latestVersion(), FOLLOWER, 1L, 500, 1, 1 << 20,
            FetchIsolation.LOG_END, Optional.empty());
        FetchRequest.PartitionData data = new FetchRequest.PartitionData(TOPIC_ID, offset, 0, 1 << 20,
            Optional.of(partition.getLeaderEpoch()));
        replicas.fetchMessages(params, partitionsOf(new TopicIdPartition(TOPIC_ID, EVENTS_0), data),
            Mockito.mock(ReplicaQuota.class),
            new AbstractFunction1<Seq<Tuple2<TopicIdPartition, FetchPartitionData>>, BoxedUnit>() {
                @Override
                public BoxedUnit apply(Seq<Tuple2<TopicIdPartition, FetchPartitionData>> response) {
                    answers.add(response.head()._2().error);
                    return BoxedUnit.UNIT;
                }
            });
    }

    @Override
    void completeDelayedFetches() {
        replicas.delayedFetchPurgatory().checkAndComplete(new TopicPartitionOperationKey(EVENTS_0));
    }

    @Override
    long lastCaughtUpMs() {
        return partition.getReplica(FOLLOWER).get().stateSnapshot().lastCaughtUpTimeMs();
    }

    @Override
    public void close() {
        log.close();
    }
}
