package insync.core.isr;

import java.util.Arrays;

/**
 * Keeps what the clocks of a follower's partitions showed when a fetch of it arrived. A partition that this fetch names,
 * and that was on another clock until then, is charged for no time since.
 */
final class ArrivalReadings {
    private final LeaderClock leader;
    private long lived;
    private long paused;
    private FetcherClock[] clocks = {};
    private long[] charged = {};
    private long[] pausedOf = {};
    private int count;

    ArrivalReadings(LeaderClock leader) {
        this.leader = leader;
    }

    /** Notes that a fetch arrives; nothing is known of any session's clock. */
    void begin(long now) {
        lived = leader.lived(now);
        paused = now - lived;
        count = 0;
    }

    /** @param clock null is none */
    void add(FetcherClock clock, long now) {
        if (clock == null) {
            return;
        }
        if (count == clocks.length) {
            clocks = Arrays.copyOf(clocks, count + 2);
            charged = Arrays.copyOf(charged, count + 2);
            pausedOf = Arrays.copyOf(pausedOf, count + 2);
        }
        clocks[count] = clock;
        charged[count] = clock.nanos(now);
        pausedOf[count] = clock.pausedNanos(now);
        count++;
    }

    /** @param clock null for the leader's own, on which partitions are that were not read in their leader epoch */
    long charged(FetcherClock clock, long now) {
        if (clock == null) {
            return lived;
        }
        int place = find(clock);
        // A clock of a connection that was lost long ago: it has run since then.
        return place >= 0 ? charged[place] : clock.nanos(now) - (leader.lived(now) - lived);
    }

    /** Returns the same for the pauses that the clock counts. */
    long paused(FetcherClock clock, long now) {
        if (clock == null) {
            return paused;
        }
        int place = find(clock);
        return place >= 0 ? pausedOf[place] : clock.pausedNanos(now) - (now - leader.lived(now) - paused);
    }

    private int find(FetcherClock clock) {
        for (int place = 0; place < count; place++) {
            if (clocks[place] == clock) {
                return place;
            }
        }
        return -1;
    }
}
