package insync.core.isr;

import java.util.Arrays;

/**
 * Records the readings of the clocks of a follower's partitions when its fetch arrives. If the fetch names a partition
 * that was on another clock until then, that partition is not charged for time after the arrival.
 */
final class ArrivalReadings {
    private final LeaderClock leader;
    private long ran;
    private FetcherClock[] clocks = {};
    private long[] charged = {};
    private int count;

    ArrivalReadings(LeaderClock leader) {
        this.leader = leader;
    }

    /** Notes that a fetch arrives; removes all earlier readings. */
    void begin(long now) {
        ran = leader.runNanos(now);
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
        }
        clocks[count] = clock;
        charged[count] = clock.nanos(now);
        count++;
    }

    /** @param clock null for the leader's own clock, which counts for partitions not yet read in their leader epoch */
    long charged(FetcherClock clock, long now) {
        if (clock == null) {
            return ran;
        }
        for (int place = 0; place < count; place++) {
            if (clocks[place] == clock) {
                return charged[place];
            }
        }
        // The clock belongs to a connection that was lost long ago. It has run since then.
        return clock.nanos(now) - (leader.runNanos(now) - ran);
    }
}
