package insync.agent.broker;

import insync.core.Insync;
import insync.core.Millis;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Keeps the scopes of a broker that a config update has turned off, until the fetches that were pending then have ended. So a
 * leader that is slow during the update does not remove the followers that wait for it.
 */
final class Draining {
    /** The most scopes that are kept; a newer one ends the oldest, so that updates in a row need no more memory. */
    private static final int MOST = 4;
    private static final long PERIOD_MS = 100;

    private final List<Drained> scopes = new CopyOnWriteArrayList<>();

    /** Ends a scope when it has no effect any more. */
    synchronized void add(Drained scope) {
        while (scopes.size() >= MOST) {
            scopes.remove(0).stop();
        }
        scopes.add(scope);
        Thread waits = new Thread(() -> drain(scope), "insync-draining");
        waits.setDaemon(true);
        waits.start();
    }

    /** Ends all at once. */
    synchronized void stop() {
        scopes.forEach(Drained::stop);
        scopes.clear();
    }

    /** Returns the scopes of a class. */
    <T> Stream<T> all(Class<T> type) {
        return scopes.stream().filter(type::isInstance).map(type::cast).collect(Collectors.toList()).stream();
    }

    private void drain(Drained scope) {
        try {
            while (scope.isBusy() && scopes.contains(scope)) {
                Thread.sleep(PERIOD_MS);
            }
            long until = System.nanoTime() + Millis.toNanos(scope.drainMs());
            while (System.nanoTime() - until < 0 && scopes.contains(scope)) {
                Thread.sleep(PERIOD_MS);
            }
            if (scopes.remove(scope)) {
                scope.stop();
                Brokers.updateFlags();
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error failed) {
            Insync.failed(failed);
        }
    }
}
