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
import kafka.server.DelayedActionQueue;
import kafka.server.KafkaConfig;
import kafka.server.MetadataCache;
import kafka.server.ReplicaManager;
import kafka.server.RequestLocal;
import kafka.server.metadata.KRaftMetadataCache;
import org.apache.kafka.admin.BrokerMetadata;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.UpdateMetadataRequestData.UpdateMetadataPartitionState;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.controller.PartitionChangeBuilder;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.ControllerRequestCompletionHandler;
import org.apache.kafka.server.NodeToControllerChannelManager;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.VerificationGuard;
import org.mockito.Mockito;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction0;

/** Kafka 3.9. */
final class StepDownParts {

    private StepDownParts() { }

    static PartitionChangeBuilder changeBuilder(PartitionRegistration partition, Uuid topicId, int minIsr,
                                                IntPredicate mayLead) {
        return new PartitionChangeBuilder(partition, topicId, 0, mayLead, MetadataVersion.latestProduction(), minIsr)
            .setDefaultDirProvider(broker -> Uuid.randomUuid());
    }

    /** Creates the parts of a broker with a {@link FakeController}. */
    static KafkaParts parts(KafkaConfig config, FakeController controller) {
        MockTime time = new MockTime();
        return new KafkaParts(config, time, metadata(controller), manager(controller, time));
    }

    /** The broker's metadata: all brokers are live, and the controller sets the leader. */
    private static MetadataCache metadata(FakeController controller) {
        KRaftMetadataCache cache = Mockito.mock(KRaftMetadataCache.class);
        Mockito.when(cache.getAliveBrokers()).thenReturn(CollectionConverters.asScala(Leader.REPLICAS.stream()
            .map(id -> new BrokerMetadata(id, Optional.empty())).collect(Collectors.toList())));
        Mockito.when(cache.getPartitionInfo(Mockito.anyString(), Mockito.anyInt()))
            .thenAnswer(asked -> Option.apply(new UpdateMetadataPartitionState().setLeader(controller.leader())
                .setLeaderEpoch(controller.leaderEpoch())));
        Mockito.when(cache.getAllTopics()).thenReturn(CollectionConverters.asScala(Set.of(Leader.EVENTS_0.topic())));
        Mockito.when(cache.numPartitions(Mockito.anyString())).thenReturn(Option.apply(1));
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
        return new DefaultAlterPartitionManager(channel, time.scheduler, time, Leader.LEADER, Leader.brokerEpoch(),
            new AbstractFunction0<>() {
                @Override
                public MetadataVersion apply() {
                    return MetadataVersion.latestProduction();
                }
            });
    }

    /**
     * Sends a produce request with acks=all and passes on its error.
     *
     * @param lock what the answer waits for; a group's lock, if a coordinator of 3.x sends the request
     */
    static void produceToAll(ReplicaManager replicas, Lock lock, Consumer<Errors> answered) {
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(new byte[] {1}));
        replicas.appendRecords(60_000, (short) -1, false, AppendOrigin.CLIENT,
            CollectionConverters.asScala(Map.of(Leader.EVENTS_0, records)),
            Leader.callback(response -> answered.accept(response.head()._2().error)), Option.apply(lock),
            Leader.callback(stats -> { }), RequestLocal.NoCaching(), new DelayedActionQueue(),
            CollectionConverters.asScala(Map.of()));
    }

    static void produce(Partition partition) {
        partition.appendRecordsToLeader(MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(new byte[] {1})),
            AppendOrigin.CLIENT, 1, RequestLocal.NoCaching(), VerificationGuard.SENTINEL);
    }
}
