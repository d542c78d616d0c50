package insync.core.stepdown.controller;

import insync.core.Clock;
import insync.core.Millis;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records in a controller which leader stepped down from which partition, so that automatic preferred elections do not
 * elect it again during the cool-down. A new active controller starts without these records.
 *
 * @param <K> the key of a partition
 */
public final class RecentStepDowns<K> {
    private final Clock clock;
    private final Map<K, Cooling> all = new ConcurrentHashMap<>();

    public RecentStepDowns(Clock clock) {
        this.clock = clock;
    }

    /**
     * Notes that a leader has stepped down.
     *
     * @param cooldownMs how long it should not lead again by an automatic election, milliseconds; 0: no limit
     */
    public void add(K partition, int exLeader, long cooldownMs) {
        long now = clock.nanos();
        all.values().removeIf(each -> each.isOver(now));
        if (cooldownMs > 0) {
            all.put(partition, new Cooling(exLeader, now + Millis.toNanos(cooldownMs)));
        }
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Returns whether a broker has stepped down in a partition less than its cool-down ago. */
    public boolean contains(K partition, int broker) {
        Cooling cooling = all.get(partition);
        return cooling != null && cooling.exLeader == broker && !cooling.isOver(clock.nanos());
    }

    private static final class Cooling {
        private final int exLeader;
        private final long untilNanos;

        Cooling(int exLeader, long untilNanos) {
            this.exLeader = exLeader;
            this.untilNanos = untilNanos;
        }

        boolean isOver(long now) {
            return untilNanos - now < 0;
        }
    }
}
