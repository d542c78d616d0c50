package insync.agent.v1_1;

import insync.agent.broker.BrokerLifecycle;
import insync.agent.weave.TypeHooks;
import insync.core.Insync;
import kafka.server.KafkaConfig;
import kafka.server.LogReadResult;
import kafka.server.ReplicaManager;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import scala.Tuple2;
import scala.collection.Seq;

/** Weaves Kafka's ReplicaManager, to start the plugin with the broker, and for KAFKA-7104's second fix. */
final class ReplicaManagerHooks extends TypeHooks {
    private static final int ALL_ARGUMENTS = 15;

    /** The hook is on the constructor that the other one calls. */
    ReplicaManagerHooks() {
        super("kafka.server.ReplicaManager");
        on("<init>", ElementMatchers.isConstructor().and(ElementMatchers.takesArguments(ALL_ARGUMENTS)), Init.class);
        on("updateFollowerLogReadResults", UpdateFollowerLogReadResults.class);
    }

    static TypeHooks results() {
        return new TypeHooks("kafka.server.LogReadResult").on("<init>", NewLogReadResult.class);
    }

    /** Starts the plugin in a broker. */
    static final class Init {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This ReplicaManager replicas, @Advice.Argument(0) KafkaConfig config) {
            BrokerLifecycle.of(config).replicaManagerStarted(replicas, config, Time.SYSTEM);
        }
    }

    /** Responds to a follower's fetch with the state of its read. */
    static final class UpdateFollowerLogReadResults {
        @Advice.OnMethodExit(suppress = Throwable.class)
        static void exit(@Advice.This ReplicaManager replicas,
                         @Advice.Argument(1) Seq<Tuple2<TopicPartition, LogReadResult>> read,
                         @Advice.Return(readOnly = false) Seq<Tuple2<TopicPartition, LogReadResult>> answers) {
            if (Insync.current().logStarts.answersAsRead()) {
                answers = FollowerAnswers.asRead(replicas, read, answers);
            }
        }
    }

    /** Bounds the log start offset of a response by its high watermark. */
    static final class NewLogReadResult {
        // Exceptions are not suppressed, because the JVM allows no handler before the call of a superclass's constructor.
        @Advice.OnMethodEnter
        static void enter(@Advice.Argument(1) long highWatermark,
                          @Advice.Argument(value = 2, readOnly = false) long logStart) {
            logStart = Insync.current().logStarts.ofAnswer(logStart, highWatermark);
        }
    }
}
