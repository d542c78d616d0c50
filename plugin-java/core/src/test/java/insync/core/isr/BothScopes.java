package insync.core.isr;

import insync.core.ManualClock;

/** A leader of one partition in both scopes, one connection of its follower, and a clock that a test moves. */
abstract class BothScopes {
    static final long LAG_MS = 2_000;
    static final long LEO = 100;

    final FakeFollower follower = new FakeFollower();
    final ManualClock clock = new ManualClock();
    final Stats stats = new Stats();
    final PendingListener nobody = (replica, topic, partition, nanos) -> { };
    final LeaderClock leaderClock = new LeaderClock(clock);
    final ReadScope reads = new ReadScope(clock, stats, nobody);
    final RequestScope requests = new RequestScope(clock, leaderClock, stats, nobody,
        (request, replica) -> FetchBody.NOT_NAMED);
    final NetworkThread thread = new NetworkThread(leaderClock);
    final FetcherConnection connection =
        requests.connection("id", FakeFollower.ID, FakeFollower.PRINCIPAL, thread);

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
}
