package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which fetches teach a leader how long its fetches take, in both scopes: for how long they were overdue when they ended. */
class FetchTimesTest extends BothScopes {
    private static final long WAIT_MS = 500;

    private final TimeCounts times = new TimeCounts();
    private final ReadScopeTracker tracker = new ReadScopeTracker(follower, reads, null);

    FetchTimesTest() {
        stats.fetchTimes(times);
        requests.accepted(connection);
    }

    /** Returns the longest times of the buckets that were added to, each as often as it was. */
    private List<Long> added() {
        long[] counts = new long[TimeCounts.BUCKETS];
        times.read(counts);
        List<Long> all = new ArrayList<>();
        for (int bucket = 0; bucket < counts.length; bucket++) {
            for (long i = 0; i < counts[bucket]; i++) {
                all.add(TimeCounts.mostMs(bucket));
            }
        }
        return all;
    }

    private FetchMarks read() {
        FetchMarks fetch = reads.newMarks(WAIT_MS);
        fetch.mark(tracker, LEO);
        fetch.marked();
        return fetch;
    }

    private Object request(FetcherConnection from) {
        Object request = new Object();
        from.arrived(request, 1, false, WAIT_MS);
        return request;
    }

    @Test
    void inScopeReadAFetchAddsForHowLongItWasOverdue() {
        FetchMarks fetch = read();
        clock.ms += WAIT_MS + 5;
        fetch.complete();
        fetch.complete();
        assertEquals(List.of(5L), added());
    }

    @Test
    void inScopeRequestAFetchAddsForHowLongItWasOverdue() {
        Object request = request(connection);
        clock.ms += WAIT_MS + 7;
        connection.sent(request);
        connection.sent(request);
        assertEquals(List.of(7L), added());
    }

    /** The wait for records is no time that the leader takes. */
    @Test
    void aFetchThatEndsBeforeItsWaitIsOverWasNotOverdue() {
        FetchMarks fetch = read();
        Object request = request(connection);
        clock.ms += WAIT_MS;
        fetch.complete();
        connection.sent(request);
        assertEquals(List.of(0L, 0L), added());
    }

    /** Nobody knows how long such a fetch would have taken. */
    @Test
    void fetchesOfLostConnectionsTeachNothing() {
        FetchMarks fetch = read();
        request(connection);
        clock.ms += 25_000;
        fetch.abandon();
        requests.disconnected("id");
        assertEquals(List.of(), added());
    }

    /** Any client can claim a follower's id before Kafka checks its permission. */
    @Test
    void fetchesThatKafkaHasNotAcceptedTeachNothing() {
        FetcherConnection forged = requests.connection("forged", FakeFollower.ID, FakeFollower.PRINCIPAL, thread);
        Object request = request(forged);
        clock.ms += 60_000;
        forged.sent(request);
        assertEquals(List.of(), added());
    }

    /** The time in which the follower does not read its response is the follower's. */
    @Test
    void aFullSocketIsNotTheLeadersTime() {
        Object request = request(connection);
        clock.ms += WAIT_MS + 2;
        connection.socketFull();
        clock.ms += 10_000;
        connection.socketOffered();
        clock.ms += 1;
        connection.sent(request);
        assertEquals(List.of(3L), added());
    }

    @Test
    void aFetchAllocatesNothingWhetherOrNotALeaderLearns() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        Object request = new Object();
        for (TimeCounts into : new TimeCounts[] {null, times}) {
            stats.fetchTimes(into);
            for (int i = 0; i < 1_000; i++) {
                connection.arrived(request, 1, false, WAIT_MS);
                connection.sent(request);
            }
            long before = threads.getThreadAllocatedBytes(id);
            for (int i = 0; i < 10_000; i++) {
                connection.arrived(request, 1, false, WAIT_MS);
                connection.sent(request);
            }
            long allocated = threads.getThreadAllocatedBytes(id) - before;
            assertTrue(allocated < 10_000, allocated + " bytes for 10,000 fetches");
        }
    }
}
