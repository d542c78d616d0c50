package insync.core.stepdown.controller;

import insync.core.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A controller's memory of who stepped down where, so that its automatic preferred elections do not bring an ex-leader
 * back during the cool-down. Of this process only: another controller that takes over knows nothing of it.
 *
 * @param <K> what a partition is known by
 */
public final class RecentStepDowns<K> {
    private final Clock clock;
    private final Map<K, Cooling> all = new ConcurrentHashMap<>();

    public RecentStepDowns(Clock clock) {
        this.clock = clock;
    }

    /**
     * A leader has stepped down.
     *
     * @param cooldownMs how long it shall not come back by itself, milliseconds; 0 is not at all
     */
    public void add(K partition, int exLeader, long cooldownMs) {
        long now = clock.nanos();
        all.values().removeIf(each -> each.isOver(now));
        if (cooldownMs > 0) {
            all.put(partition, new Cooling(exLeader, now + cooldownMs * 1_000_000L));
        }
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Whether a broker has stepped down in a partition less than its cool-down ago. */
    public boolean contains(K partition, int broker) {
        Cooling cooling = all.get(partition);
        return cooling != null && cooling.exLeader == broker && !cooling.isOver(clock.nanos());
    }

    /** One step-down. */
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
