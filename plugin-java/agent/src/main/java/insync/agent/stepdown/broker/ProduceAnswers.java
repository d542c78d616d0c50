package insync.agent.stepdown.broker;

import insync.core.Insync;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.internals.Topic;

/**
 * Answers produce requests that wait for followers, on threads of its own. The answer to a coordinator may wait for as long as an
 * append hangs: in 3.6 to 3.9 for the lock of a group, whose next append has it, and in all versions for the state of the transaction
 * coordinator. So neither the watch nor the thread of an ISR change's response gives it, and no client's answer waits for it.
 *
 * <p>What finds no room is dropped: Kafka answers when the request's own time is over, or when it has become a follower.
 */
final class ProduceAnswers {
    private static final int MOST = 10_000;
    private static final ThreadPoolExecutor TO_CLIENTS = threads(1);
    private static final ThreadPoolExecutor TO_COORDINATORS = threads(4);

    private ProduceAnswers() { }

    /** @param answers answers the requests to the topic's partition that wait */
    static void give(String topic, Runnable answers) {
        (Topic.isInternal(topic) ? TO_COORDINATORS : TO_CLIENTS).execute(() -> {
            try {
                answers.run();
            } catch (RuntimeException | Error failed) {
                Insync.failed(failed);
            }
        });
    }

    private static ThreadPoolExecutor threads(int count) {
        ThreadPoolExecutor made = new ThreadPoolExecutor(count, count, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST),
            ProduceAnswers::thread, new ThreadPoolExecutor.DiscardPolicy());
        made.allowCoreThreadTimeOut(true);
        return made;
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "insync-produce-answers");
        thread.setDaemon(true);
        return thread;
    }
}
