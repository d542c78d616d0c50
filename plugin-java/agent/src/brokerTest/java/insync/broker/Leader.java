package insync.broker;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import kafka.cluster.Partition;
import kafka.log.LogManager;
import kafka.server.AlterPartitionManager;
import kafka.server.KafkaConfig;
import kafka.server.QuotaFactory;
import kafka.server.ReplicaManager;
import kafka.server.ReplicaQuota;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.DirectoryEventHandler;
import org.apache.kafka.server.replica.ReplicaState;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogOffsetsListener;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;
import org.mockito.Mockito;
import scala.Option;
import scala.Tuple2;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction0;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Broker 1001 as leader of events-0 with followers 1002 and 1003: Kafka's own ReplicaManager, Partition,
 * Replica and log, a mock clock, and a log whose reads can be made to stall. Around them only what a
 * ReplicaManager needs to exist is mocked.
 */
final class Leader implements AutoCloseable {
    static final int LEADER = 1001;
    static final int FOLLOWER = 1002;
    static final long LAG_MS = 10_000;
    static final String ENABLE = "follower.fetch.pending.reads.insync.enable";
    private static final TopicPartition EVENTS_0 = new TopicPartition("events", 0);
    private static final Uuid TOPIC_ID = Uuid.randomUuid();

    final MockTime time = new MockTime();
    final ReplicaManager replicas;
    final Partition partition;
    private final UnifiedLog log;
    private Runnable duringRead = () -> { };
    private boolean breakFirstReader;

    Leader(Path folder, boolean enable) throws Exception {
        KafkaConfig config = config(folder, enable);
        BrokerTopicStats topicStats = new BrokerTopicStats();
        replicas = replicaManager(config, topicStats);
        partition = replicas.createPartition(EVENTS_0);
        log = Mockito.spy(newLog(folder, topicStats));
        Mockito.doAnswer(read -> {
            duringRead.run();
            return read.callRealMethod();
        }).when(log).read(Mockito.anyLong(), Mockito.anyInt(), Mockito.any(), Mockito.anyBoolean());
        partition.setLog(log, false);
        elect(5);
    }

    private static KafkaConfig config(Path folder, boolean enable) {
        Properties properties = new Properties();
        properties.put("process.roles", "broker");
        properties.put("node.id", String.valueOf(LEADER));
        properties.put("controller.quorum.voters", "1@127.0.0.1:9093");
        properties.put("controller.listener.names", "CONTROLLER");
        properties.put("listeners", "PLAINTEXT://127.0.0.1:9092");
        properties.put("log.dirs", folder.toString());
        properties.put("replica.lag.time.max.ms", String.valueOf(LAG_MS));
        properties.put(ENABLE, String.valueOf(enable));
        return new KafkaConfig(properties, false);
    }

    private ReplicaManager replicaManager(KafkaConfig config, BrokerTopicStats topicStats) {
        LogManager logs = Mockito.mock(LogManager.class, Mockito.RETURNS_DEEP_STUBS);
        Mockito.when(logs.liveLogDirs()).thenReturn(CollectionConverters.asScala(List.<File>of()).toSeq());
        MetadataCache metadata = Mockito.mock(MetadataCache.class);
        Mockito.when(metadata.getAliveBrokerEpoch(Mockito.anyInt())).thenReturn(Optional.of(1L));
        return new ReplicaManager(config, new Metrics(), time, time.scheduler, logs, Option.empty(),
            Mockito.mock(QuotaFactory.QuotaManagers.class), metadata, new LogDirFailureChannel(1),
            Mockito.mock(AlterPartitionManager.class, Mockito.RETURNS_DEEP_STUBS), topicStats,
            Option.empty(), Option.empty(), Option.empty(), Option.empty(), Option.empty(), Option.empty(),
            new AbstractFunction0<Object>() {
                @Override
                public Object apply() {
                    return 1L;
                }
            }, Option.empty(), DirectoryEventHandler.NOOP, new org.apache.kafka.server.DelayedActionQueue());
    }

    private UnifiedLog newLog(Path folder, BrokerTopicStats topicStats) throws Exception {
        File partitionFolder = folder.resolve(EVENTS_0.toString()).toFile();
        return UnifiedLog.create(partitionFolder, new LogConfig(new Properties()), 0, 0, time.scheduler, topicStats,
            time, 60_000, new ProducerStateManagerConfig(60_000, false), 60_000, new LogDirFailureChannel(1), true,
            Optional.of(TOPIC_ID), new ConcurrentHashMap<>(), false, LogOffsetsListener.NO_OP_OFFSETS_LISTENER);
    }

    /** Makes this broker leader in an epoch, with everybody in the ISR. */
    void elect(int epoch) {
        int[] all = {LEADER, FOLLOWER, 1003};
        PartitionRegistration registration = new PartitionRegistration.Builder().setReplicas(all)
            .setDirectories(DirectoryId.unassignedArray(all.length)).setIsr(all).setLeader(LEADER)
            .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED).setLeaderEpoch(epoch).setPartitionEpoch(epoch)
            .build();
        partition.makeLeader(registration, false, (dir, id) -> Optional.empty(), Option.apply(TOPIC_ID), Option.empty());
    }

    /** Appends until the leader's log end offset is this. */
    void appendUpTo(long leo) throws Exception {
        List<SimpleRecord> records = new ArrayList<>();
        for (long offset = log.logEndOffset(); offset < leo; offset++) {
            records.add(new SimpleRecord(time.milliseconds(), new byte[] {1}));
        }
        log.appendAsLeader(MemoryRecords.withRecords(Compression.NONE, records.toArray(new SimpleRecord[0])),
            partition.getLeaderEpoch());
    }

    /** Every read of the log runs this first, in the thread that reads. */
    void duringRead(Runnable stall) {
        duringRead = stall;
    }

    /** The follower's fetch through the ReplicaManager, waiting at most 500 ms in the purgatory. */
    void fetch(long offset, List<FetchPartitionData> answers) {
        FetchParams params = new FetchParams(FOLLOWER, 1L, 500, 1, 1 << 20, FetchIsolation.LOG_END, Optional.empty());
        FetchRequest.PartitionData data = new FetchRequest.PartitionData(TOPIC_ID, offset, 0, 1 << 20,
            Optional.of(partition.getLeaderEpoch()));
        Tuple2<TopicIdPartition, FetchRequest.PartitionData> one =
            new Tuple2<>(new TopicIdPartition(TOPIC_ID, EVENTS_0), data);
        replicas.fetchMessages(params, partitionsOf(one),
            Mockito.mock(ReplicaQuota.class),
            new AbstractFunction1<Seq<Tuple2<TopicIdPartition, FetchPartitionData>>, BoxedUnit>() {
                @Override
                public BoxedUnit apply(Seq<Tuple2<TopicIdPartition, FetchPartitionData>> response) {
                    answers.add(response.head()._2());
                    return BoxedUnit.UNIT;
                }
            });
    }

    /** With the agent, the hook on fetchMessages is the first to ask a fetch for its partitions. */
    void breakNextFetchForWhoeverReadsItsPartitionsFirst() {
        breakFirstReader = true;
    }

    private Seq<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> partitionsOf(
            Tuple2<TopicIdPartition, FetchRequest.PartitionData> one) {
        Seq<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> real =
            CollectionConverters.asScala(List.of(one)).toSeq();
        if (!breakFirstReader) {
            return real;
        }
        breakFirstReader = false;
        Seq<Tuple2<TopicIdPartition, FetchRequest.PartitionData>> broken = Mockito.spy(real);
        Mockito.doThrow(new IllegalStateException("broken for the first reader")).doCallRealMethod()
            .when(broken).iterator();
        return broken;
    }

    /** What the append of a produce request does last: completes the fetches that wait for it. */
    void completeDelayedFetches() {
        replicas.delayedFetchPurgatory().checkAndComplete(
            new org.apache.kafka.server.purgatory.TopicPartitionOperationKey(EVENTS_0));
    }

    boolean followerIsOutOfSync() {
        return partition.getOutOfSyncReplicas(LAG_MS).contains(FOLLOWER);
    }

    ReplicaState follower() {
        return partition.getReplica(FOLLOWER).get().stateSnapshot();
    }

    @Override
    public void close() {
        log.close();
    }
}
