package insync.agent.stepdown.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AlterPartitionRequestData.PartitionData;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * The tagged field of a request to step down, which the broker wants only until a time. Kafka repeats an AlterPartition without limit, and
 * a controller that returns later must not move the leadership of a broker that is well again.
 */
public final class TimedTag extends RawTaggedField {
    private final BooleanSupplier isOver;

    TimedTag(int tag, byte[] data, BooleanSupplier isOver) {
        super(tag, data);
        this.isOver = isOver;
    }

    /** Turns each request of which the time is over into one that changes nothing: the present ISR, this broker first. */
    public static void recheck(AlterPartitionRequestData request) {
        request.topics().forEach(topic -> topic.partitions().forEach(TimedTag::recheck));
    }

    private static void recheck(PartitionData change) {
        List<BrokerState> isr = change.newIsrWithEpochs();
        BrokerState last = isr.isEmpty() ? null : isr.get(isr.size() - 1);
        if (last != null && last.unknownTaggedFields().stream().anyMatch(TimedTag::isOver)) {
            List<BrokerState> first = new ArrayList<>(List.of(last.duplicate()));
            first.get(0).unknownTaggedFields().clear();
            first.addAll(isr.subList(0, isr.size() - 1));
            change.setNewIsrWithEpochs(first);
        }
    }

    private static boolean isOver(RawTaggedField field) {
        return field instanceof TimedTag && ((TimedTag) field).isOver.getAsBoolean();
    }
}
