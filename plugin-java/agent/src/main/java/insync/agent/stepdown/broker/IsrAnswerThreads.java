package insync.agent.stepdown.broker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Completes responses to ISR changes on our own threads instead of the channel's single thread. Kafka's Partition waits
 * for leaderIsrUpdateLock when it gets a response, for as long as a read stalls; on the channel's thread that would block
 * all other step-downs. If all our threads wait, the channel's thread completes the response itself, as in Kafka.
 */
public final class IsrAnswerThreads {
    private static final int MOST = 16;
    private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(0, MOST, 10, TimeUnit.SECONDS,
        new SynchronousQueue<>(), IsrAnswerThreads::thread, new ThreadPoolExecutor.CallerRunsPolicy());

    private IsrAnswerThreads() { }

    /** @return a future with the same result, completed on our threads; the given one if it is already complete */
    public static <T> CompletableFuture<T> elsewhere(CompletableFuture<T> answer) {
        if (answer.isDone()) {
            return answer;
        }
        CompletableFuture<T> handedOn = new CompletableFuture<>();
        answer.whenComplete((value, error) -> THREADS.execute(() -> {
            if (error == null) {
                handedOn.complete(value);
            } else {
                handedOn.completeExceptionally(error);
            }
        }));
        return handedOn;
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "insync-isr-answers");
        thread.setDaemon(true);
        return thread;
    }
}
