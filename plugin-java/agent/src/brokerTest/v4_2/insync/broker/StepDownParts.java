package insync.broker;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import kafka.cluster.Partition;
import kafka.server.AlterPartitionManager;
import kafka.server.DefaultAlterPartitionManager;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.controller.PartitionChangeBuilder;
import org.apache.kafka.metadata.LeaderAndIsr;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.ControllerRequestCompletionHandler;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.common.NodeToControllerChannelManager;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.mockito.Mockito;
import scala.jdk.javaapi.CollectionConverters;

/** Kafka 4.2 to 4.4. */
final class StepDownParts {

    private StepDownParts() { }

    static PartitionChangeBuilder changeBuilder(PartitionRegistration partition, Uuid topicId, int minIsr,
                                                IntPredicate mayLead) {
        return new PartitionChangeBuilder(partition, topicId, 0, mayLead, MetadataVersion.latestProduction(), minIsr, true)
            .setDefaultDirProvider(broker -> Uuid.randomUuid());
    }

    /** Creates the parts of a broker with a {@link FakeController}. */
    static KafkaParts parts(KafkaConfig config, FakeController controller) {
        MockTime time = new MockTime();
        return new KafkaParts(config, time, metadata(controller), manager(controller, time));
    }

    /** The broker's metadata: all brokers are live, and the controller sets the leader. */
    private static MetadataCache metadata(FakeController controller) {
        MetadataCache cache = BrokerParts.stub(MetadataCache.class);
        Mockito.when(cache.getAliveBrokerNodes(Mockito.any())).thenReturn(Leader.REPLICAS.stream()
            .map(id -> new Node(id, "127.0.0.1", 9092)).collect(Collectors.toList()));
        Mockito.when(cache.getLeaderAndIsr(Mockito.anyString(), Mockito.anyInt()))
            .thenAnswer(asked -> Optional.of(new LeaderAndIsr(controller.leader(), controller.leaderEpoch(),
                Leader.REPLICAS, LeaderRecoveryState.RECOVERED, 0)));
        Mockito.when(cache.getAllTopics()).thenReturn(Set.of(Leader.EVENTS_0.topic()));
        Mockito.when(cache.numPartitions(Mockito.anyString())).thenReturn(Optional.of(1));
        return cache;
    }

    /** Kafka's own manager of ISR changes, on a channel to that controller. */
    private static AlterPartitionManager manager(FakeController controller, MockTime time) {
        NodeToControllerChannelManager channel = Mockito.mock(NodeToControllerChannelManager.class);
        Mockito.doAnswer(sent -> {
            ControllerRequestCompletionHandler handler = sent.getArgument(1);
            controller.receive(sent.getArgument(0), handler::onComplete);
            return null;
        }).when(channel).sendRequest(Mockito.any(), Mockito.any());
        return new DefaultAlterPartitionManager(channel, time.scheduler, time, Leader.LEADER, Leader.brokerEpoch());
    }

    /**
     * Sends a produce request with acks=all and passes on its error.
     *
     * @param lock what the answer waits for, as the transaction coordinator's does
     */
    static void produceToAll(ReplicaManager replicas, Lock lock, Consumer<Errors> answered) {
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(new byte[] {1}));
        replicas.appendRecords(60_000, (short) -1, false, AppendOrigin.CLIENT,
            CollectionConverters.asScala(Map.of(new TopicIdPartition(Leader.TOPIC_ID, Leader.EVENTS_0), records)),
            Leader.callback(response -> {
                lock.lock();
                try {
                    answered.accept(response.values().iterator().next().error);
                } finally {
                    lock.unlock();
                }
            }),
            Leader.callback(stats -> { }), RequestLocal.noCaching(), CollectionConverters.asScala(Map.of()), (short) 0);
    }

    static void produce(Partition partition) {
        partition.appendRecordsToLeader(MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(new byte[] {1})),
            AppendOrigin.CLIENT, 1, RequestLocal.noCaching(), VerificationGuard.SENTINEL, (short) 0);
    }
}
