package insync.agent.stepdown.broker;

import insync.core.Clock;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.AlterPartitionRequestData.PartitionData;
import org.apache.kafka.common.protocol.types.RawTaggedField;

/**
 * The tagged field of a request to step down, which the broker wants only until a time. Kafka repeats an AlterPartition without limit, and
 * a controller that returns later must not move the leadership of a broker that is well again.
 */
public final class TimedTag extends RawTaggedField {
    private final Clock clock;
    private final long untilNanos;

    TimedTag(int tag, byte[] data, Clock clock, long untilNanos) {
        super(tag, data);
        this.clock = clock;
        this.untilNanos = untilNanos;
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
        return field instanceof TimedTag && ((TimedTag) field).clock.nanos() - ((TimedTag) field).untilNanos > 0;
    }
}
