package insync.broker;

import insync.agent.broker.BrokerLifecycle;
import java.io.File;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.Function;
import kafka.cluster.Partition;
import kafka.log.LogManager;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
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
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Broker 1001 as leader of events-0 with followers 1002 and 1003: Kafka's own ReplicaManager, Partition, Replica and
 * log, a mock clock, and a log whose reads can stall. Only the parts around the ReplicaManager are mocked.
 * {@link KafkaParts} has what differs between versions.
 */
final class Leader implements AutoCloseable {
    static final int LEADER = 1001;
    static final int FOLLOWER = 1002;
    static final List<Integer> REPLICAS = List.of(LEADER, FOLLOWER, 1003);
    static final long LAG_MS = 10_000;
    static final TopicPartition EVENTS_0 = new TopicPartition("events", 0);
    static final Uuid TOPIC_ID = Uuid.randomUuid();
    /** The required configs of a KRaft broker. */
    static final Map<String, String> KRAFT = Map.of("process.roles", "broker", "node.id", String.valueOf(LEADER),
        "controller.quorum.voters", "1@127.0.0.1:9093", "controller.listener.names", "CONTROLLER",
        "listeners", "PLAINTEXT://127.0.0.1:9092");
    private static final String ENABLE = "follower.fetch.pending.reads.insync.enable";

    final Time time;
    private final KafkaConfig config;
    private final KafkaParts parts;
    private final Partition partition;
    private Runnable duringRead = () -> { };
    private boolean breakFirstReader;

    Leader(Path folder, boolean enable) throws Exception {
        this(folder, enable, KafkaParts.CONFIGS);
    }

    /** Both solutions are off, unless these configs turn them on. */
    Leader(Path folder, Map<String, String> configs) throws Exception {
        this(folder, false, with(KafkaParts.CONFIGS, configs));
    }

    private Leader(Path folder, boolean enable, Map<String, String> configs) throws Exception {
        this(folder, config(folder, enable, configs), KafkaParts::new);
    }

    /** Solution 2 is on, too, with a {@link FakeController}; and solution 1, unless these configs turn it off. */
    Leader(Path folder, long stepsDownAfterMs, Map<String, String> configs, Function<KafkaConfig, KafkaParts> parts)
            throws Exception {
        this(folder, config(folder, true, with(with(KRAFT, configs),
            Map.of("leader.fetch.process.time.max.ms", String.valueOf(stepsDownAfterMs)))), parts);
    }

    private Leader(Path folder, KafkaConfig config, Function<KafkaConfig, KafkaParts> parts) throws Exception {
        this.config = config;
        this.parts = parts.apply(config);
        this.time = this.parts.time();
        this.partition = this.parts.replicas().createPartition(EVENTS_0);
        this.parts.openLog(partition, folder, stallingRead());
        elect(5);
    }

    Partition partition() {
        return partition;
    }

    ReplicaManager replicas() {
        return parts.replicas();
    }

    /** Makes a broker leader in an epoch, with all replicas in the ISR. */
    void elect(int leader, int epoch) {
        parts.elect(partition, leader, epoch, List.of());
    }

    /** Starts a reassignment that adds a replica, in a new epoch. */
    void addReplica(int replica, int epoch) {
        parts.elect(partition, LEADER, epoch, List.of(replica));
    }

    /** Appends records until the leader's log end offset has this value. */
    void appendUpTo(long leo) throws Exception {
        parts.append(leo, partition.getLeaderEpoch());
    }

    /** Fetches as the follower through the ReplicaManager, waiting at most 500 ms in the purgatory. */
    void fetch(long offset, List<Errors> answers) {
        parts.fetch(this, offset, Optional.of(partition.getLeaderEpoch()), answers);
    }

    /** Records a fetch of the follower in Kafka's Replica, with the present time instead of the fetch's arrival. */
    void recordFetchNow(long offset) {
        parts.recordFetchNow(partition, offset);
    }

    /** Completes the fetches that wait for an append, as the last step of a produce request does. */
    void completeDelayedFetches() {
        parts.completeDelayedFetches();
    }

    /** Returns Kafka's own last caught-up time of the follower, milliseconds since the epoch. */
    long lastCaughtUpMs() {
        return parts.lastCaughtUpMs(partition);
    }

    /** Ends the step-down watch, as the broker's shutdown does. */
    void stopWatch() {
        BrokerLifecycle.of(config).replicaManagerStopped();
    }

    @Override
    public void close() {
        parts.close();
    }

    /** Makes this broker leader. */
    void elect(int epoch) {
        elect(LEADER, epoch);
    }

    /** Every read of the log runs this first, in the thread that reads. */
    void duringRead(Runnable stall) {
        duringRead = stall;
    }

    /** Makes the first reader of a fetch's partitions fail; with the agent that is the hook on fetchMessages. */
    void breakNextFetchForWhoeverReadsItsPartitionsFirst() {
        breakFirstReader = true;
    }

    boolean followerIsOutOfSync() {
        return partition.getOutOfSyncReplicas(LAG_MS).contains(FOLLOWER);
    }

    private static KafkaConfig config(Path folder, boolean enable, Map<String, String> needed) {
        Properties properties = new Properties();
        properties.put(ENABLE, String.valueOf(enable));
        properties.put("insync.scope", "read"); // its calls go to the ReplicaManager, not through the network
        properties.put(needed.containsKey("log.dir") ? "log.dir" : "log.dirs", folder.toString());
        properties.putAll(needed);
        properties.put("replica.lag.time.max.ms", String.valueOf(LAG_MS));
        return new KafkaConfig(properties, false);
    }

    private static Map<String, String> with(Map<String, String> configs, Map<String, String> more) {
        Map<String, String> all = new HashMap<>(configs);
        all.putAll(more);
        return all;
    }

    /** Returns a Scala function, the type of Kafka's callbacks. */
    static <T> AbstractFunction1<T, BoxedUnit> callback(Consumer<T> called) {
        return new AbstractFunction1<>() {
            @Override
            public BoxedUnit apply(T argument) {
                called.accept(argument);
                return BoxedUnit.UNIT;
            }
        };
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

    /** Returns what the spied log's read does. */
    private Answer<Object> stallingRead() {
        return read -> {
            duringRead.run();
            return read.callRealMethod();
        };
    }

    /** The follower's fetch of the one partition, as fetchMessages takes it. */
    <K> Seq<Tuple2<K, FetchRequest.PartitionData>> partitionsOf(K key, FetchRequest.PartitionData data) {
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
