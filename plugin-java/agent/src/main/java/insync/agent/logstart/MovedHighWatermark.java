package insync.agent.logstart;

import insync.agent.broker.Brokers;
import insync.agent.stepdown.broker.StepDownAccess;
import insync.core.logstart.LogStartRule;
import java.lang.reflect.Field;
import java.util.Optional;
import kafka.cluster.Partition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.storage.internals.log.FetchDataInfo;
import org.apache.kafka.storage.internals.log.LogReadInfo;

/**
 * Puts the high watermark as a follower's fetch moved it into the result of that fetch's read. The result's fields are read
 * by reflection, because in some versions it is a record, which has no public fields.
 */
public final class MovedHighWatermark {
    private static final Field FETCHED_DATA = field("fetchedData");
    private static final Field DIVERGING_EPOCH = field("divergingEpoch");
    private static final Field HIGH_WATERMARK = field("highWatermark");
    private static final Field LOG_START_OFFSET = field("logStartOffset");
    private static final Field LOG_END_OFFSET = field("logEndOffset");
    private static final Field LAST_STABLE_OFFSET = field("lastStableOffset");

    private MovedHighWatermark() { }

    /**
     * Returns the result of the read, with the partition's present high watermark.
     *
     * @param epoch the leader epoch of the read; in a later epoch the log may be another one
     */
    @SuppressWarnings("unchecked")
    public static LogReadInfo in(LogReadInfo read, Partition partition, int epoch) throws IllegalAccessException {
        Optional<FetchResponseData.EpochEndOffset> diverging =
            (Optional<FetchResponseData.EpochEndOffset>) DIVERGING_EPOCH.get(read);
        if (diverging.isPresent() || partition.log().isEmpty()) {
            return read;
        }
        long before = HIGH_WATERMARK.getLong(read);
        long logEnd = LOG_END_OFFSET.getLong(read);
        long now = ((StepDownAccess) Brokers.access()).highWatermark(partition);
        long moved = LogStartRule.watermarkOfAnswer(before, now, logEnd);
        // The epoch is compared after the high watermark is read, so the high watermark belongs to the log that was read.
        if (moved == before || partition.getLeaderEpoch() != epoch || !partition.isLeader()) {
            return read;
        }
        return new LogReadInfo((FetchDataInfo) FETCHED_DATA.get(read), diverging, moved, LOG_START_OFFSET.getLong(read),
            logEnd, LAST_STABLE_OFFSET.getLong(read));
    }

    private static Field field(String name) {
        try {
            Field field = LogReadInfo.class.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException missing) {
            throw new IllegalStateException("LogReadInfo has no field " + name, missing);
        }
    }
}
