package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.agent.isr.KafkaApisHooks;
import insync.agent.isr.PartitionHooks;
import insync.agent.weave.TypeHooks;
import insync.core.stepdown.AppendMark;
import insync.core.stepdown.AppendMarks;
import insync.core.stepdown.AppendSite;
import insync.core.stepdown.PendingAppend;
import java.util.List;
import kafka.cluster.Partition;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.utils.Time;

/**
 * Times the appends to partitions' logs in this JVM, if a broker asks for that by {@code insync.appends.enable}. Its brokers share
 * the marks: each has the id of the broker to whose partition it appends. Weaves the classes through which a leader's append and a
 * follower's goes. A move to another log directory appends through some of them, too, without a mark.
 */
public final class AppendHooks {
    private static final AppendMarks MARKS = new AppendMarks();

    private AppendHooks() { }

    /** Returns the hooks of all versions from 3.6 on. */
    public static List<TypeHooks> types() {
        return List.of(
            new TypeHooks(KafkaApisHooks.TYPE).on("handle", Handle.class),
            new TypeHooks(PartitionHooks.TYPE)
                .on("appendRecordsToLeader", AppendRecordsToLeader.class)
                .on("appendRecordsToFollowerOrFutureReplica", AppendRecordsToFollower.class),
            new TypeHooks(PartitionHooks.LOG).on("append", LogAppend.class),
            // From 4.4 on it has the second name.
            new TypeHooks(TypeHooks.moved("kafka.log.LocalLog", "org.apache.kafka.storage.internals.log.LocalLog"))
                .on("checkIfMemoryMappedBufferClosed",
                    ElementMatchers.namedOneOf("checkIfMemoryMappedBufferClosed", "checkIfClosed"), LogLocked.class));
    }

    /**
     * Notes that this thread begins to append.
     *
     * @return the thread's mark, which ends it; null if no broker times its appends
     */
    public static AppendMark begin(Object partition, int brokerId, Time time) {
        if (!Brokers.timesAppends()) {
            return null;
        }
        AppendMark mark = MARKS.own();
        mark.begin(partition, brokerId, time.nanoseconds());
        return mark;
    }

    /** Notes that this thread's append comes to a site. */
    public static void enter(AppendSite site) {
        if (Brokers.timesAppends()) {
            MARKS.own().enter(site);
        }
    }

    /**
     * Notes which request this thread serves.
     *
     * @return the thread's mark, which keeps the request until it is served; null if no broker times its appends
     */
    public static AppendMark serve(Object request) {
        if (!Brokers.timesAppends()) {
            return null;
        }
        AppendMark mark = MARKS.own();
        mark.serve(request);
        return mark;
    }

    /** Returns the appends to a broker's partitions that have not ended. */
    public static List<PendingAppend> pending(int brokerId) {
        return MARKS.pending(brokerId);
    }

    /** Notes which request a handler thread serves. */
    static final class Handle {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static AppendMark enter(@Advice.Argument(value = 0, typing = Assigner.Typing.DYNAMIC) Object request) {
            return AppendHooks.serve(request);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter AppendMark mark) {
            if (mark != null) {
                mark.serve(null);
            }
        }
    }

    /** Begins and ends the mark of an append. It waits for leaderIsrUpdateLock first. */
    static final class AppendRecordsToLeader {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static AppendMark enter(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                                @Advice.FieldValue("time") Time time) {
            return AppendHooks.begin(partition, brokerId, time);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter AppendMark mark) {
            if (mark != null) {
                mark.end();
            }
        }
    }

    /** Begins and ends the mark of a fetcher thread's append: acks of the partition wait for it. */
    static final class AppendRecordsToFollower {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static AppendMark enter(@Advice.This Partition partition, @Advice.FieldValue("localBrokerId") int brokerId,
                                @Advice.FieldValue("time") Time time, @Advice.Argument(1) boolean isFuture) {
            return isFuture ? null : AppendHooks.begin(partition, brokerId, time);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit(@Advice.Enter AppendMark mark) {
            if (mark != null) {
                mark.end();
            }
        }
    }

    /**
     * Notes that the append comes to the log, where it checks the records and waits for the log's lock. Afterwards the leader moves
     * the high watermark, for which it waits for that lock a second time.
     */
    static final class LogAppend {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter() {
            AppendHooks.enter(AppendSite.LOCK);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit() {
            AppendHooks.enter(AppendSite.LOCK);
        }
    }

    /** Notes that the append has the log's lock: Kafka's first call under it. */
    static final class LogLocked {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter() {
            AppendHooks.enter(AppendSite.LOG);
        }
    }
}
