package insync.core.isr;

import insync.core.ManualClock;
import java.util.HashMap;
import java.util.Map;

/** A leader of one partition in both scopes, one connection of its follower, and a clock that a test moves. */
abstract class BothScopes {
    static final long LAG_MS = 2_000;
    static final long LEO = 100;
    static final long WAIT_MS = 500;

    final FakeFollower follower = new FakeFollower();
    final ManualClock clock = new ManualClock();
    final Stats stats = new Stats();
    final PendingListener nobody = (replica, topic, partition, nanos) -> { };
    final LeaderClock leaderClock = new LeaderClock(clock);
    final Scope reads = new Scope(clock, stats, nobody);
    /** The offset that a request names for the partition. */
    final Map<Object, Long> named = new HashMap<>();
    final RequestScope requests = new RequestScope(clock, leaderClock, stats, nobody,
        (request, replica) -> named.getOrDefault(request, FetchBody.NOT_NAMED));
    final NetworkThread thread = new NetworkThread(leaderClock);
    final FetcherConnection connection =
        requests.connection("id", FakeFollower.ID, FakeFollower.PRINCIPAL, thread);

    /** Lets some time pass, with all ticks. */
    final void pass(long ms) {
        long end = clock.ms + ms;
        while (clock.ms < end) {
            clock.ms = Math.min(end, clock.ms + LeaderClock.PERIOD_MS);
            leaderClock.tick();
        }
    }

    final boolean holds(FollowerTracker tracker) {
        return tracker.holdsInSync(clock.ms, LAG_MS);
    }

    /** Begins a fetch in scope "read". */
    final FetchMarks begin(ReadScopeTracker tracker) {
        FetchMarks fetch = new FetchMarks(reads, 0);
        fetch.mark(tracker, LEO);
        fetch.marked();
        return fetch;
    }

    /** Begins a fetch in scope "request". */
    final Object arrive(boolean newMembers) {
        Object request = new Object();
        connection.arrived(request, 1, newMembers, WAIT_MS);
        return request;
    }

    /** Reads and records the connection's fetch, at the leader's end. */
    final void read(FollowerTracker tracker) {
        read(connection, tracker, LEO, LEO);
    }

    static void read(FetcherConnection of, FollowerTracker tracker, long offset, long leo) {
        of.serve();
        tracker.fetched(offset, leo);
        FetcherConnection.served();
    }
}
