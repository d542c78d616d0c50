package insync.lab.v1_1;

import insync.agent.isr.PartitionHooks;
import insync.agent.weave.TypeHooks;
import insync.bridge.BrokerView;
import insync.lab.OfVersion;
import insync.lab.pausepoints.PausePointHooks;
import insync.lab.pausepoints.Points;
import java.util.List;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;

/** Weaves the pause points of Kafka 1.1, and shows its brokers. */
public final class Kafka11 implements OfVersion {

    @Override
    public List<TypeHooks> pausePoints() {
        return List.of(
            new TypeHooks(PartitionHooks.TYPE)
                .on("updateReplicaLogReadResult", LeaderRead.class)
                .on("maybeExpandIsr", LeaderRecorded.class),
            new TypeHooks("kafka.server.ReplicaManager").on("readFromLocalLog", ReadFromLocalLog.class),
            new TypeHooks("kafka.cluster.Replica").on("logStartOffset",
                ElementMatchers.named("logStartOffset").and(ElementMatchers.takesNoArguments()), LogStartOffset.class),
            Points.received());
    }

    @Override
    public BrokerView view(ReplicaManager replicas, KafkaConfig config) {
        return new View(replicas, config);
    }

    /** Passes the point after all partitions of a follower's fetch are read, before the fetch is recorded. */
    static final class LeaderRead {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition, @Advice.Argument(0) Replica follower) {
            PausePointHooks.pass(PausePointHooks.LEADER_READ, follower.brokerId(), partition.topicPartition());
        }
    }

    /** Passes the point after a follower's log end offset is recorded, before the high watermark moves. */
    static final class LeaderRecorded {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Partition partition, @Advice.Argument(0) int follower) {
            PausePointHooks.pass(PausePointHooks.LEADER_RECORDED, follower, partition.topicPartition());
        }
    }

    /** Notes for which replica this thread reads, so that pause points in the log know it. */
    static final class ReadFromLocalLog {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.Argument(0) int replica) {
            PausePointHooks.beginRead(replica, null);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
        static void exit() {
            PausePointHooks.endRead();
        }
    }

    /**
     * Passes the point before the log start offset is read. In the read of a partition this is after the high watermark.
     */
    static final class LogStartOffset {
        @Advice.OnMethodEnter(suppress = Throwable.class)
        static void enter(@Advice.This Replica replica) {
            PausePointHooks.halfRead(replica.topicPartition());
        }
    }
}
