package insync.broker;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A network thread of the leader that runs a test's steps. */
final class NetworkLoop {
    private final ExecutorService thread;

    NetworkLoop(String name) {
        thread = Executors.newSingleThreadExecutor(run -> {
            Thread made = new Thread(run, name);
            made.setDaemon(true);
            return made;
        });
    }

    /** Runs a step on the network thread and waits for its end. */
    <T> T run(Callable<T> work) {
        return await(thread.submit(work));
    }

    /** Starts a step on the network thread. */
    <T> Future<T> begin(Callable<T> work) {
        return thread.submit(work);
    }

    static <T> T await(Future<T> begun) {
        try {
            return begun.get();
        } catch (InterruptedException | ExecutionException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
