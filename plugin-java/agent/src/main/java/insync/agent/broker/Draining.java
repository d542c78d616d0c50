package insync.agent.broker;

import insync.core.Insync;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps the scopes of a broker that a config update has turned off, until no fetch that was pending then can keep its follower in the
 * ISR. So a leader that is slow during the update does not remove the followers that wait for it. New fetches do not begin in them.
 *
 * @param <T> what runs a scope
 */
final class Draining<T> {
    /** The most scopes that are kept; a newer one ends the oldest, so that updates in a row need no more memory. */
    private static final int MOST = 4;

    /** Those that have an effect. */
    final List<T> scopes = new CopyOnWriteArrayList<>();
    private final Map<T, CompletableFuture<Void>> timers = new ConcurrentHashMap<>();
    private final Consumer<T> stop;

    /** @param stop ends the effect of a scope, and its threads */
    Draining(Consumer<T> stop) {
        this.stop = stop;
    }

    /** Ends a scope after some time. */
    synchronized void add(T scope, long afterMs) {
        while (scopes.size() >= MOST) {
            end(scopes.get(0));
        }
        CompletableFuture<Void> timer = new CompletableFuture<>();
        timers.put(scope, timer);
        scopes.add(scope);
        timer.thenRunAsync(() -> {
            try {
                end(scope);
                Brokers.updateFlags();
            } catch (RuntimeException | Error failed) {
                Insync.failed(failed);
            }
        });
        timer.completeOnTimeout(null, afterMs, TimeUnit.MILLISECONDS);
    }

    /** Ends all at once. */
    void stop() {
        scopes.forEach(this::end);
    }

    private void end(T scope) {
        if (scopes.remove(scope)) {
            // Else the JVM's timer would keep the scope, and with it the broker, until the time is over.
            timers.remove(scope).complete(null);
            stop.accept(scope);
        }
    }
}
