package insync.broker;

import java.util.function.IntPredicate;
import kafka.cluster.Partition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.controller.PartitionChangeBuilder;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.common.RequestLocal;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.VerificationGuard;

/** Kafka 4.2 to 4.4. */
final class StepDownParts {

    private StepDownParts() { }

    static PartitionChangeBuilder changeBuilder(PartitionRegistration partition, Uuid topicId, int minIsr,
                                                IntPredicate mayLead) {
        return new PartitionChangeBuilder(partition, topicId, 0, mayLead, MetadataVersion.latestProduction(), minIsr, true)
            .setDefaultDirProvider(broker -> Uuid.randomUuid());
    }

    static void produce(Partition partition) {
        partition.appendRecordsToLeader(MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(new byte[] {1})),
            AppendOrigin.CLIENT, 1, RequestLocal.noCaching(), VerificationGuard.SENTINEL, (short) 0);
    }
}
