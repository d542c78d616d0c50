package insync.broker;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import kafka.cluster.Partition;
import kafka.server.AlterPartitionManager;
import kafka.server.KafkaConfig;
import kafka.server.QuotaFactory;
import kafka.server.ReplicaQuota;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.metadata.MetadataCache;
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey;
import org.apache.kafka.server.storage.log.FetchIsolation;
import org.apache.kafka.server.storage.log.FetchParams;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.mockito.Mockito;
import org.mockito.stubbing.Answer;
import scala.Option;

/** The parts of a {@link Leader} whose types belong to Kafka 4.2 to 4.4. */
final class KafkaParts extends KRaftParts {
    private UnifiedLog log;

    KafkaParts(KafkaConfig config) {
        this(config, new MockTime(), BrokerParts.stub(MetadataCache.class), BrokerParts.stub(AlterPartitionManager.class));
    }

    KafkaParts(KafkaConfig config, MockTime time, MetadataCache metadata, AlterPartitionManager manager) {
        super(time);
        Mockito.when(metadata.getAliveBrokerEpoch(Mockito.anyInt())).thenReturn(Optional.of(1L));
        replicas = BrokerParts.replicaManager(config, time, metadata, BrokerParts.stub(QuotaFactory.QuotaManagers.class),
            Option.empty(), manager);
    }

    void openLog(Partition partition, Path folder, Answer<?> read) throws Exception {
        log = BrokerParts.log(folder, Leader.EVENTS_0, Leader.TOPIC_ID, time, read);
        partition.setLog(log, false);
    }

    void elect(Partition partition, int leader, int epoch, List<Integer> adding) {
        int[] isr = Leader.REPLICAS.stream().mapToInt(id -> id).toArray();
        int[] added = adding.stream().mapToInt(id -> id).toArray();
        int[] all = IntStream.concat(Arrays.stream(isr), Arrays.stream(added)).toArray();
        BrokerParts.elect(partition, Leader.LEADER, BrokerParts.registration(all, isr, leader, epoch, added),
            Leader.TOPIC_ID);
    }

    void append(long leo, int leaderEpoch) throws Exception {
        BrokerParts.append(log, leo - log.logEndOffset(), time.milliseconds(), leaderEpoch);
    }

    void fetch(Leader leader, long offset, Optional<Integer> leaderEpoch, List<Errors> answers) {
        FetchParams params =
            new FetchParams(Leader.FOLLOWER, 1L, 500, 1, 1 << 20, FetchIsolation.LOG_END, Optional.empty());
        FetchRequest.PartitionData data =
            new FetchRequest.PartitionData(Leader.TOPIC_ID, offset, 0, 1 << 20, leaderEpoch);
        replicas.fetchMessages(params,
            leader.partitionsOf(new TopicIdPartition(Leader.TOPIC_ID, Leader.EVENTS_0), data),
            Mockito.mock(ReplicaQuota.class), Leader.callback(response -> answers.add(response.head()._2().error)));
    }

    void completeDelayedFetches() {
        replicas.delayedFetchPurgatory().checkAndComplete(new TopicPartitionOperationKey(Leader.EVENTS_0));
    }

    void close() {
        log.close();
    }
}
