package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.core.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Fetches complete in several threads at once during elections: every mark is released exactly once. */
class FetchMarksRaceTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 2_000;

    @Test
    void nothingIsPendingAtTheEnd() throws Exception {
        Stats stats = new Stats();
        FakeFollower follower = new FakeFollower();
        ReadScopeTracker[] partitions = new ReadScopeTracker[3];
        Scope scope = new Scope(new ManualClock(), stats, (replica, topic, partition, nanos) -> { });
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = new ReadScopeTracker(follower, scope, null);
        }
        CyclicBarrier start = new CyclicBarrier(THREADS);
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            boolean elects = thread == 0;
            all.add(pool.submit(() -> {
                start.await();
                for (int round = 0; round < ROUNDS; round++) {
                    fetchAndCompleteTwice(scope, partitions, round);
                    if (elects) {
                        follower.leaderEpoch++;
                        partitions[round % partitions.length].elected(0, FetchRule.UNKNOWN_OFFSET, true, true);
                    }
                }
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get(60, TimeUnit.SECONDS);
        }
        pool.shutdown();
        assertTrue(pool.awaitTermination(10, TimeUnit.SECONDS));
        assertEquals((long) THREADS * ROUNDS * partitions.length, stats.marked.sum());
        assertEquals(stats.marked.sum(), stats.released.sum() + stats.cleared.sum());
        assertEquals(0, stats.pendingNow());
        assertEquals(0, stats.heldNow());
    }

    private static void fetchAndCompleteTwice(Scope scope, ReadScopeTracker[] partitions, int offset) {
        FetchMarks fetch = new FetchMarks(scope, 0);
        for (ReadScopeTracker partition : partitions) {
            fetch.mark(partition, Long.MAX_VALUE);
            partition.holdsInSync(0, 1);
            partition.fetched(offset, offset + 1L);
        }
        fetch.marked();
        fetch.complete();
        fetch.complete();
    }
}
