package insync.core.isr;

import java.util.Arrays;

/**
 * Records the readings of the clocks of a follower's partitions when its fetch arrives. If the fetch names a partition
 * that was on another clock until then, that partition is not charged for time after the arrival.
 */
final class ArrivalReadings {
    private final LeaderClock leader;
    private long ran;
    private long paused;
    private FetcherClock[] clocks = {};
    private long[] charged = {};
    private long[] pausedOf = {};
    private int count;

    ArrivalReadings(LeaderClock leader) {
        this.leader = leader;
    }

    /** Notes that a fetch arrives; removes all earlier readings. */
    void begin(long now) {
        ran = leader.runNanos(now);
        paused = now - ran;
        count = 0;
    }

    /** @param clock the clock to read, or null */
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

    /** @param clock null for the leader's own clock, which counts for partitions not yet read in their leader epoch */
    long charged(FetcherClock clock, long now) {
        if (clock == null) {
            return ran;
        }
        int place = find(clock);
        // The clock belongs to a connection that was lost long ago. It has run since then.
        return place >= 0 ? charged[place] : clock.nanos(now) - (leader.runNanos(now) - ran);
    }

    /** Returns the reading of the clock's pauses. */
    long paused(FetcherClock clock, long now) {
        if (clock == null) {
            return paused;
        }
        int place = find(clock);
        return place >= 0 ? pausedOf[place] : clock.pausedNanos(now) - (now - leader.runNanos(now) - paused);
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
