package insync.agent.stepdown.broker;

import insync.core.Insync;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.Topic;

/** Gives answers that may wait for as long as a read or an append hangs, on threads of our own instead of those of Kafka and the watch. */
public final class AnswerThreads {
    /** If all wait, the channel's thread completes the response itself, as in Kafka. */
    private static final Executor ISR_CHANGES = threads("insync-isr-answers", 16, new SynchronousQueue<>());
    private static final Executor TO_CLIENTS = threads("insync-produce-answers", 1, new LinkedBlockingQueue<>());
    private static final Executor TO_COORDINATORS = threads("insync-produce-answers", 4, new LinkedBlockingQueue<>());
    /** The partitions, by broker, that no thread has begun to answer. So what waits is bounded, and nothing is dropped. */
    private static final Set<Map.Entry<Object, TopicPartition>> WAITING = ConcurrentHashMap.newKeySet();

    private AnswerThreads() { }

    /**
     * Completes the response to an ISR change. Kafka's Partition waits for leaderIsrUpdateLock when it gets one, for as long as a read
     * stalls; on the channel's single thread that would block all other step-downs.
     *
     * @return a future with the same result, completed on our threads; the given one if it is already complete. If no thread can be
     *     started, it completes with that error: Kafka repeats the change then, and without any completion would never change the ISR
     */
    public static <T> CompletableFuture<T> elsewhere(CompletableFuture<T> answer) {
        return elsewhere(answer, ISR_CHANGES);
    }

    static <T> CompletableFuture<T> elsewhere(CompletableFuture<T> answer, Executor threads) {
        return answer.isDone() ? answer : answer.whenCompleteAsync((value, error) -> { }, threads);
    }

    /**
     * Answers produce requests that wait for followers. The answer to a coordinator may wait for as long as an append hangs: in 3.6 to
     * 3.9 for the lock of a group, whose next append has it, and in all versions for the state of the transaction coordinator. So no
     * client's answer waits for it. One that waits for its thread also answers what came after it.
     *
     * @param broker the broker's ReplicaManager; a JVM may have several
     * @param answers answers the requests to the partition that wait
     */
    static void produce(Object broker, TopicPartition partition, Runnable answers) {
        Map.Entry<Object, TopicPartition> which = Map.entry(broker, partition);
        if (!WAITING.add(which)) {
            return;
        }
        try {
            (Topic.isInternal(partition.topic()) ? TO_COORDINATORS : TO_CLIENTS).execute(() -> {
                WAITING.remove(which);
                try {
                    answers.run();
                } catch (RuntimeException | Error failed) {
                    Insync.failed(failed);
                }
            });
        } catch (RuntimeException | Error refused) {
            WAITING.remove(which);
            throw refused;
        }
    }

    private static Executor threads(String name, int most, BlockingQueue<Runnable> waiting) {
        ThreadPoolExecutor made = new ThreadPoolExecutor(most, most, 10, TimeUnit.SECONDS, waiting, work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        }, new ThreadPoolExecutor.CallerRunsPolicy());
        made.allowCoreThreadTimeOut(true);
        return made;
    }
}
