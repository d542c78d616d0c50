package insync.broker;

import insync.agent.broker.Brokers;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import kafka.cluster.Partition;
import kafka.server.AlterPartitionManager;
import kafka.server.KafkaConfig;
import kafka.server.QuotaFactory;
import kafka.server.ReplicaManager;
import kafka.server.ReplicaQuota;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.server.storage.log.FetchPartitionData;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.mockito.Mockito;
import scala.Option;
import scala.Tuple2;
import scala.collection.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Kafka 4.2 to 4.4. */
final class RealLeader extends Leader {
    private final KafkaConfig config;
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
        this(folder, config, new MockTime(), BrokerParts.stub(MetadataCache.class),
            time -> BrokerParts.stub(AlterPartitionManager.class));
    }

    /** With both solutions on, and a controller that the test plays. */
    RealLeader(Path folder, FakeController controller, long afterMs, Map<String, String> configs) throws Exception {
        this(folder, config(folder, true, stepsDown(afterMs, configs)), new MockTime(),
            StepDownParts.metadata(controller), time -> StepDownParts.manager(controller, time));
    }

    private RealLeader(Path folder, KafkaConfig config, MockTime clock, MetadataCache metadata,
            Function<MockTime, AlterPartitionManager> manager) throws Exception {
        super(clock);
        this.config = config;
        Mockito.when(metadata.getAliveBrokerEpoch(Mockito.anyInt())).thenReturn(Optional.of(1L));
        replicas = BrokerParts.replicaManager(config, clock, metadata, BrokerParts.stub(QuotaFactory.QuotaManagers.class),
            Option.empty(), manager.apply(clock));
        partition = replicas.createPartition(EVENTS_0);
        log = BrokerParts.log(folder, EVENTS_0, TOPIC_ID, clock, stallingRead());
        partition.setLog(log, false);
        elect(5);
    }

    @Override
    Partition partition() {
        return partition;
    }

    @Override
    void elect(int leader, int epoch) {
        int[] all = REPLICAS.stream().mapToInt(id -> id).toArray();
        BrokerParts.elect(partition, LEADER, BrokerParts.registration(all, all, leader, epoch), TOPIC_ID);
    }

    /** A reassignment begins that adds a replica. */
    void addReplica(int replica, int epoch) {
        int[] isr = REPLICAS.stream().mapToInt(id -> id).toArray();
        int[] all = Arrays.copyOf(isr, isr.length + 1);
        all[isr.length] = replica;
        BrokerParts.elect(partition, LEADER, new PartitionRegistration.Builder().setReplicas(all)
            .setDirectories(DirectoryId.unassignedArray(all.length)).setIsr(isr).setAddingReplicas(new int[] {replica})
            .setLeader(LEADER).setLeaderRecoveryState(LeaderRecoveryState.RECOVERED).setLeaderEpoch(epoch)
            .setPartitionEpoch(epoch).build(), TOPIC_ID);
    }

    /** A produce request with acks=all, and what it is answered. */
    void produceToAll(Consumer<Errors> answered) {
        StepDownParts.produceToAll(replicas, answered);
    }

    void stopWatch() {
        Brokers.replicaManagerStopped(config);
    }

    @Override
    void appendUpTo(long leo) throws Exception {
        BrokerParts.append(log, leo - log.logEndOffset(), time.milliseconds(), partition.getLeaderEpoch());
    }

    @Override
    void fetch(long offset, List<Errors> answers) {
        FetchParams params = new FetchParams(FOLLOWER, 1L, 500, 1, 1 << 20, FetchIsolation.LOG_END, Optional.empty());
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
