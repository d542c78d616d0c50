package insync.agent.stepdown.broker;

import insync.core.Insync;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.internals.Topic;

/** Gives answers that may wait for as long as a read or an append hangs, on threads of our own instead of those of Kafka and the watch. */
public final class AnswerThreads {
    private static final int MOST_WAITING = 10_000;
    /** If all wait, the channel's thread completes the response itself, as in Kafka. */
    private static final ThreadPoolExecutor ISR_CHANGES =
        threads("insync-isr-answers", 16, new SynchronousQueue<>(), new ThreadPoolExecutor.CallerRunsPolicy());
    private static final ThreadPoolExecutor TO_CLIENTS = produce(1);
    private static final ThreadPoolExecutor TO_COORDINATORS = produce(4);

    private AnswerThreads() { }

    /**
     * Completes the response to an ISR change. Kafka's Partition waits for leaderIsrUpdateLock when it gets one, for as long as a read
     * stalls; on the channel's single thread that would block all other step-downs.
     *
     * @return a future with the same result, completed on our threads; the given one if it is already complete
     */
    public static <T> CompletableFuture<T> elsewhere(CompletableFuture<T> answer) {
        if (answer.isDone()) {
            return answer;
        }
        CompletableFuture<T> handedOn = new CompletableFuture<>();
        answer.whenComplete((value, error) -> ISR_CHANGES.execute(() -> {
            if (error == null) {
                handedOn.complete(value);
            } else {
                handedOn.completeExceptionally(error);
            }
        }));
        return handedOn;
    }

    /**
     * Answers produce requests that wait for followers. The answer to a coordinator may wait for as long as an append hangs: in 3.6 to
     * 3.9 for the lock of a group, whose next append has it, and in all versions for the state of the transaction coordinator. So no
     * client's answer waits for it. What finds no room is dropped: Kafka answers when the request's own time is over, or when it has
     * become a follower.
     *
     * @param answers answers the requests to the topic's partition that wait
     */
    static void produce(String topic, Runnable answers) {
        (Topic.isInternal(topic) ? TO_COORDINATORS : TO_CLIENTS).execute(() -> {
            try {
                answers.run();
            } catch (RuntimeException | Error failed) {
                Insync.failed(failed);
            }
        });
    }

    private static ThreadPoolExecutor produce(int count) {
        return threads("insync-produce-answers", count, new LinkedBlockingQueue<>(MOST_WAITING), new ThreadPoolExecutor.DiscardPolicy());
    }

    private static ThreadPoolExecutor threads(String name, int most, BlockingQueue<Runnable> waiting, RejectedExecutionHandler full) {
        ThreadPoolExecutor made = new ThreadPoolExecutor(most, most, 10, TimeUnit.SECONDS, waiting, work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        }, full);
        made.allowCoreThreadTimeOut(true);
        return made;
    }
}
