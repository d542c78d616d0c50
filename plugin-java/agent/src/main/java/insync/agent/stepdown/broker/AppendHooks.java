package insync.agent.stepdown.broker;

import insync.agent.weave.Hook;
import insync.core.stepdown.AppendMark;
import insync.core.stepdown.AppendSite;
import java.util.List;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.utils.Time;

/**
 * Weaves the classes through which a leader's append and a follower's goes, for brokers with
 * {@code insync.appends.enable}. A move to another log directory appends through some of them, too, without a mark.
 */
public final class AppendHooks {
    private static final String INDEXES = "org.apache.kafka.storage.internals.log.";

    private AppendHooks() { }

    /**
     * Returns the hooks of all versions from 3.6 on.
     *
     * @param log the class of a partition's log, which has the lock
     * @param localLog the class of its segments, which writes
     */
    public static List<Hook> since36(String log, String localLog) {
        return List.of(
            new Hook("kafka.server.KafkaApis", "handle", Handle.class),
            new Hook(insync.agent.isr.PartitionHooks.TYPE, "appendRecordsToLeader", AppendRecordsToLeader.class),
            new Hook(insync.agent.isr.PartitionHooks.TYPE, "appendRecordsToFollowerOrFutureReplica", AppendRecordsToFollower.class),
            new Hook(log, "append", LogAppend.class),
            // From 4.4 on it has the second name.
            new Hook(localLog, "checkIfMemoryMappedBufferClosed",
                () -> ElementMatchers.namedOneOf("checkIfMemoryMappedBufferClosed", "checkIfClosed"), LogLocked.class),
            new Hook(log, "roll", () -> ElementMatchers.named("roll").and(ElementMatchers.takesArguments(1)), Roll.class),
            new Hook(localLog, "append", Write.class),
            new Hook(INDEXES + "OffsetIndex", "append", Index.class),
            new Hook(INDEXES + "TimeIndex", "maybeAppend",
                () -> ElementMatchers.named("maybeAppend").and(ElementMatchers.takesArguments(3)), Index.class),
            // Both are calls on the index's file: a roll makes one and cuts the other.
            new Hook(INDEXES + "AbstractIndex", "createAndAssignMmap", Index.class),
            new Hook(INDEXES + "AbstractIndex", "resize", Index.class),
            new Hook(localLog, "flush", Flush.class));
    }

    /** Notes which request a handler thread serves. */
    static final class Handle {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            Appends.serve(request);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit() {
            Appends.serve(null);
        }
    }

    /** Begins and ends the mark of an append. It waits for leaderIsrUpdateLock first. */
    static final class AppendRecordsToLeader {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static AppendMark enter(@Advice.This Partition partition, @Advice.FieldValue("time") Time time) {
            return Appends.begin(partition, time);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter AppendMark mark) {
            Appends.end(mark);
        }
    }

    /** Begins and ends the mark of a fetcher thread's append: acks of the partition wait for it. */
    static final class AppendRecordsToFollower {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static AppendMark enter(@Advice.This Partition partition, @Advice.FieldValue("time") Time time,
                                @Advice.Argument(1) boolean isFuture) {
            return isFuture ? null : Appends.begin(partition, time);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter AppendMark mark) {
            Appends.end(mark);
        }
    }

    /**
     * Notes that the append comes to the log, where it checks the records and waits for the log's lock. Afterwards the leader moves
     * the high watermark, for which it waits for that lock a second time.
     */
    static final class LogAppend {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter() {
            Appends.enter(AppendSite.LOG_LOCK);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit() {
            Appends.enter(AppendSite.LOG_LOCK);
        }
    }

    /** Notes that the append has the log's lock: Kafka's first call under it. */
    static final class LogLocked {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter() {
            Appends.enter(AppendSite.LOG);
        }
    }

    /** Notes that the append rolls the log. */
    static final class Roll {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static AppendSite enter() {
            return Appends.enter(AppendSite.ROLL);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter AppendSite before) {
            Appends.leave(before);
        }
    }

    /** Notes that the append writes its records. */
    static final class Write {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static AppendSite enter() {
            return Appends.enter(AppendSite.WRITE);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter AppendSite before) {
            Appends.leave(before);
        }
    }

    /** Notes that the append writes to an index, or makes, maps or cuts its file. */
    static final class Index {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static AppendSite enter() {
            return Appends.enter(AppendSite.INDEX);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter AppendSite before) {
            Appends.leave(before);
        }
    }

    /** Notes that the append flushes the log. */
    static final class Flush {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static AppendSite enter() {
            return Appends.enter(AppendSite.FLUSH);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter AppendSite before) {
            Appends.leave(before);
        }
    }
}
