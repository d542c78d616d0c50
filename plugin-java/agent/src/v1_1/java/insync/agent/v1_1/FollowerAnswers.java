package insync.agent.v1_1;

import insync.core.Insync;
import insync.core.logstart.LogStartRule;
import java.util.ArrayList;
import java.util.List;
import kafka.cluster.Partition;
import kafka.cluster.Replica;
import kafka.server.LogReadResult;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicPartition;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/** Responds to a follower's fetch with the state of its read, and with the high watermark as the fetch moved it. */
public final class FollowerAnswers {

    private FollowerAnswers() { }

    /**
     * Returns the responses to a fetch that is recorded.
     *
     * @param read the results of its read
     * @param stock the responses of this version of Kafka: if the fetch moved the high or low watermark, 1.1.0 replaces
     *     the high watermark, log start offset and log end offset of the read by the leader's present ones; 1.1.1 keeps
     *     all three
     */
    public static Seq<Tuple2<TopicPartition, LogReadResult>> asRead(ReplicaManager replicas,
            Seq<Tuple2<TopicPartition, LogReadResult>> read, Seq<Tuple2<TopicPartition, LogReadResult>> stock) {
        List<Tuple2<TopicPartition, LogReadResult>> answers = new ArrayList<>(stock.size());
        Iterator<Tuple2<TopicPartition, LogReadResult>> reads = read.iterator();
        Iterator<Tuple2<TopicPartition, LogReadResult>> stocks = stock.iterator();
        while (stocks.hasNext()) {
            Tuple2<TopicPartition, LogReadResult> answer = stocks.next();
            answers.add(new Tuple2<>(answer._1(), asRead(replicas, answer._1(), reads.next()._2(), answer._2())));
        }
        return JavaConverters.asScalaBufferConverter(answers).asScala();
    }

    private static LogReadResult asRead(ReplicaManager replicas, TopicPartition partition, LogReadResult read,
                                        LogReadResult stock) {
        if (stock.info() != read.info()) {
            return stock; // the follower is not assigned, so it gets no records
        }
        if (stock.leaderLogStartOffset() != read.leaderLogStartOffset()) {
            Insync.current().logStarts.snapshots.increment();
        }
        long moved = LogStartRule.watermarkOfAnswer(read.highWatermark(),
            highWatermark(replicas.getPartition(partition), read.highWatermark()), read.leaderLogEndOffset());
        return moved == read.highWatermark() ? read : new LogReadResult(read.info(), moved, read.leaderLogStartOffset(),
            read.leaderLogEndOffset(), read.followerLogStartOffset(), read.fetchTimeMs(), read.readSize(),
            read.lastStableOffset(), read.exception());
    }

    private static long highWatermark(Option<Partition> partition, long otherwise) {
        Option<Replica> own = partition.isEmpty() ? Option.empty() : partition.get().leaderReplicaIfLocal();
        return own.isEmpty() ? otherwise : own.get().highWatermark().messageOffset();
    }
}
