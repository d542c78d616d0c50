package insync.broker;

import java.io.File;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import kafka.cluster.Partition;
import kafka.log.LogManager;
import kafka.server.KafkaConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.utils.Time;
import org.mockito.Mockito;
import org.mockito.stubbing.Answer;
import scala.Tuple2;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction0;

/**
 * Broker 1001 as leader of events-0 with followers 1002 and 1003: Kafka's own ReplicaManager, Partition,
 * Replica and log, a mock clock, and a log whose reads can be made to stall. Around them only what a
 * ReplicaManager needs to exist is mocked. How they are made differs by version: that is a RealLeader.
 */
abstract class Leader implements AutoCloseable {
    static final int LEADER = 1001;
    static final int FOLLOWER = 1002;
    static final List<Integer> REPLICAS = List.of(LEADER, FOLLOWER, 1003);
    static final long LAG_MS = 10_000;
    static final TopicPartition EVENTS_0 = new TopicPartition("events", 0);
    static final Uuid TOPIC_ID = Uuid.randomUuid();
    /** What a broker's config must have to be one, where there is KRaft. */
    static final Map<String, String> KRAFT = Map.of("process.roles", "broker", "node.id", String.valueOf(LEADER),
        "controller.quorum.voters", "1@127.0.0.1:9093", "controller.listener.names", "CONTROLLER",
        "listeners", "PLAINTEXT://127.0.0.1:9092");
    private static final String ENABLE = "follower.fetch.pending.reads.insync.enable";

    final Time time;
    private Runnable duringRead = () -> { };
    private boolean breakFirstReader;

    /** @param time a mock clock */
    Leader(Time time) {
        this.time = time;
    }

    abstract Partition partition();

    /** Makes a broker leader in an epoch, with everybody in the ISR. */
    abstract void elect(int leader, int epoch);

    /** Appends until the leader's log end offset is this. */
    abstract void appendUpTo(long leo) throws Exception;

    /** The follower's fetch through the ReplicaManager, waiting at most 500 ms in the purgatory. */
    abstract void fetch(long offset, List<Errors> answers);

    /** What the append of a produce request does last: completes the fetches that wait for it. */
    abstract void completeDelayedFetches();

    /** Kafka's own figure for the follower, milliseconds since the epoch. */
    abstract long lastCaughtUpMs();

    @Override
    public abstract void close();

    /** Makes this broker leader. */
    final void elect(int epoch) {
        elect(LEADER, epoch);
    }

    /** Every read of the log runs this first, in the thread that reads. */
    final void duringRead(Runnable stall) {
        duringRead = stall;
    }

    /** With the agent, the hook on fetchMessages is the first to ask a fetch for its partitions. */
    final void breakNextFetchForWhoeverReadsItsPartitionsFirst() {
        breakFirstReader = true;
    }

    final boolean followerIsOutOfSync() {
        return partition().getOutOfSyncReplicas(LAG_MS).contains(FOLLOWER);
    }

    static KafkaConfig config(Path folder, boolean enable, Map<String, String> needed) {
        Properties properties = new Properties();
        properties.putAll(needed);
        properties.put("log.dirs", folder.toString());
        properties.put("replica.lag.time.max.ms", String.valueOf(LAG_MS));
        properties.put(ENABLE, String.valueOf(enable));
        return new KafkaConfig(properties, false);
    }

    /** A broker's config without either solution, but for what is said here. */
    static KafkaConfig config(Path folder, Map<String, String> configs) {
        Map<String, String> all = new HashMap<>(KRAFT);
        all.putAll(configs);
        return config(folder, false, all);
    }

    /** Solution 2 is on, too; KRAFT with these configs. */
    static Map<String, String> stepsDown(long afterMs, Map<String, String> configs) {
        Map<String, String> all = new HashMap<>(KRAFT);
        all.put("leader.fetch.process.time.max.ms", String.valueOf(afterMs));
        all.putAll(configs);
        return all;
    }

    static LogManager logManager() {
        LogManager logs = Mockito.mock(LogManager.class, Mockito.RETURNS_DEEP_STUBS);
        Mockito.when(logs.liveLogDirs()).thenReturn(CollectionConverters.asScala(List.<File>of()).toSeq());
        return logs;
    }

    static AbstractFunction0<Object> brokerEpoch() {
        return new AbstractFunction0<>() {
            @Override
            public Object apply() {
                return 1L;
            }
        };
    }

    /** What the spied log's read does. */
    final Answer<Object> stallingRead() {
        return read -> {
            duringRead.run();
            return read.callRealMethod();
        };
    }

    /** The follower's fetch of the one partition, as fetchMessages takes it. */
    final <K> Seq<Tuple2<K, FetchRequest.PartitionData>> partitionsOf(K key, FetchRequest.PartitionData data) {
        Seq<Tuple2<K, FetchRequest.PartitionData>> real =
            CollectionConverters.asScala(List.of(new Tuple2<>(key, data))).toSeq();
        if (!breakFirstReader) {
            return real;
        }
        breakFirstReader = false;
        Seq<Tuple2<K, FetchRequest.PartitionData>> broken = Mockito.spy(real);
        Mockito.doThrow(new IllegalStateException("broken for the first reader")).doCallRealMethod()
            .when(broken).iterator();
        return broken;
    }
}
