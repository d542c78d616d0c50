package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Scope "request" under load: network threads whose fetches arrive, are sent, meet full sockets and lose their
 * connections, handlers that read for them, elections, queries and ticks, all at once. At the end nothing is pending.
 */
class RequestScopeTrackerRaceTest {
    private static final int NETWORK_THREADS = 3;
    private static final long LAG_MS = 1;
    private static final long RUN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Clock clock = new RealClock();
    private final Stats stats = new Stats();
    private final LeaderClock leaderClock = new LeaderClock(clock);
    private final FakeFollower follower = new FakeFollower();
    private final RequestScope scope = new RequestScope(clock, leaderClock, stats,
        (replica, topic, partition, nanos) -> { }, (request, replica) -> (Long) request);
    private final RequestScopeTracker[] partitions = new RequestScopeTracker[3];
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> work = new ArrayList<>();
    private volatile boolean over;

    @Test
    void nothingIsPendingAtTheEnd() throws Exception {
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = new RequestScopeTracker(follower, scope, clock.millis(), null);
        }
        for (int number = 0; number < NETWORK_THREADS; number++) {
            String id = "connection-" + number;
            NetworkThread thread = new NetworkThread(leaderClock);
            work.add(threads.submit(() -> {
                for (long fetch = 0; !over; fetch++) {
                    fetch(id, thread, fetch);
                }
                return null;
            }));
        }
        untilOver(this::elect);
        untilOver(this::ask);
        untilOver(this::ask);
        untilOver(() -> {
            leaderClock.tick();
            return null;
        });
        TimeUnit.NANOSECONDS.sleep(RUN_NANOS);
        over = true;
        for (Future<?> one : work) {
            one.get(30, TimeUnit.SECONDS);
        }
        threads.shutdown();
        assertTrue(threads.awaitTermination(10, TimeUnit.SECONDS));
        assertNothingIsLeft();
    }

    private void assertNothingIsLeft() {
        assertTrue(stats.marked.sum() > 0);
        assertEquals(stats.marked.sum(), stats.released.sum() + stats.cleared.sum());
        assertEquals(0, stats.pendingNow());
        for (RequestScopeTracker partition : partitions) {
            assertEquals(List.of(), partition.snapshot());
            partition.elected(clock.millis(), 0, true, false);
            assertFalse(partition.holdsInSync(clock.millis(), LAG_MS));
        }
        assertEquals(0, stats.heldNow());
    }

    /**
     * Runs one fetch on a network thread; a handler reads for it meanwhile, and some connections are lost in
     * it.
     */
    private void fetch(String id, NetworkThread thread, Long request) throws Exception {
        FetcherConnection connection = scope.connection(id, FakeFollower.ID, FakeFollower.PRINCIPAL, thread);
        connection.arrived(request, 1, ThreadLocalRandom.current().nextInt(4) == 0, 0);
        Future<?> handler = threads.submit(() -> read(connection, request));
        if (ThreadLocalRandom.current().nextInt(8) == 0) {
            scope.disconnected(id);
        }
        handler.get();
        thread.enterCall(null);
        connection.socketFull();
        thread.leaveCall();
        connection.socketOffered();
        connection.sent(request);
        connection.sent(request);
        if (ThreadLocalRandom.current().nextInt(8) == 0) {
            scope.disconnected(id);
            scope.disconnected(id);
        }
    }

    private void read(FetcherConnection connection, long offset) {
        connection.serve();
        for (RequestScopeTracker partition : partitions) {
            partition.fetched(offset, offset + ThreadLocalRandom.current().nextInt(2));
        }
        FetcherConnection.served();
    }

    private Void elect() throws InterruptedException {
        follower.leaderEpoch++;
        for (RequestScopeTracker partition : partitions) {
            boolean newLeader = ThreadLocalRandom.current().nextBoolean();
            if (newLeader) {
                partition.resigned();
            }
            partition.elected(clock.millis(), 0, newLeader, ThreadLocalRandom.current().nextBoolean());
        }
        Thread.sleep(1);
        return null;
    }

    private Void ask() {
        for (RequestScopeTracker partition : partitions) {
            partition.holdsInSync(clock.millis(), LAG_MS);
            partition.snapshot();
        }
        return null;
    }

    private void untilOver(Callable<Void> step) {
        work.add(threads.submit(() -> {
            while (!over) {
                step.call();
            }
            return null;
        }));
    }

    private static final class RealClock implements Clock {
        @Override
        public long millis() {
            return System.currentTimeMillis();
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }
    }
}
