package insync.agent.stepdown.broker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Completes answers to ISR changes on threads of ours instead of the channel's one. Kafka's Partition waits for
 * leaderIsrUpdateLock when it gets an answer, as long as a read stalls; on the channel's thread that would block all
 * other step-downs. If all our threads wait, the channel's thread does it itself, as in Kafka.
 */
public final class IsrAnswerThreads {
    private static final int MOST = 16;
    private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(0, MOST, 10, TimeUnit.SECONDS,
        new SynchronousQueue<>(), IsrAnswerThreads::thread, new ThreadPoolExecutor.CallerRunsPolicy());

    private IsrAnswerThreads() { }

    /** @return one that is completed as the given one is, but not on that thread; itself if it is complete already */
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
