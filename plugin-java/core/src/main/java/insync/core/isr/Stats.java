package insync.core.isr;

import insync.core.events.EventLog;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts marks and holds in this broker since its start, for JMX, events and the bridge. */
public final class Stats {
    /** Marks that were made: in scope "read" one per partition of a fetch, in "request" one per fetch. */
    public final LongAdder marked = new LongAdder();
    /** Marks that were released with their fetch. */
    public final LongAdder released = new LongAdder();
    /** Marks that an election or a lost connection cleared before their fetch was complete. */
    public final LongAdder cleared = new LongAdder();
    /** Marks that became too old to keep their follower in sync. */
    public final LongAdder outlived = new LongAdder();
    private final Map<Hold.Site, LongAdder> holdsGranted = new EnumMap<>(Hold.Site.class);
    private final Map<FollowerTracker, Hold> held = new ConcurrentHashMap<>();
    private final AtomicLong longestNanos = new AtomicLong();
    private volatile Hold.Listener[] listeners = {};
    private volatile LeaderClock leaderClock;
    private volatile long pausedBeforeMs;

    public Stats() {
        for (Hold.Site site : Hold.Site.values()) {
            holdsGranted.put(site, new LongAdder());
        }
    }

    /** Sets the listeners that receive holds from now on, in this order. */
    public void listeners(Hold.Listener... all) {
        listeners = all;
    }

    void released(int count, long pendingNanos) {
        if (count == 0) {
            return;
        }
        released.add(count);
        // The plain read is nearly always enough, so releases do not contend on the maximum.
        if (pendingNanos > longestNanos.get()) {
            longestNanos.accumulateAndGet(pendingNanos, Math::max);
        }
    }

    void held(FollowerTracker follower, Hold hold) {
        held.put(follower, hold);
        holdsGranted.get(hold.site).increment();
        for (Hold.Listener each : listeners) {
            each.held(hold);
        }
    }

    void notHeld(FollowerTracker follower, Hold hold) {
        if (held.remove(follower, hold)) {
            for (Hold.Listener each : listeners) {
                each.released(hold);
            }
        }
    }

    /** Returns whether a follower's hold is counted, which ends if Kafka does not check the follower for too long. */
    boolean isHeld(FollowerTracker follower) {
        return held.containsKey(follower);
    }

    public long pendingNow() {
        // Reads the removed marks first: a mark made in between may be counted twice, but is never missed.
        long gone = released.sum() + cleared.sum();
        return Math.max(0, marked.sum() - gone);
    }

    /** Returns how many followers are held now: each is in sync only because its fetch is pending. */
    public int heldNow() {
        long now = System.nanoTime();
        held.forEach((follower, hold) -> {
            if (follower.isForgotten(now)) {
                notHeld(follower, hold);
            }
        });
        return held.size();
    }

    public long holdsGranted() {
        return holdsGranted.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** Returns how many holds began while the leader was at a site with the follower's fetch. */
    public long holdsGranted(Hold.Site site) {
        return holdsGranted.get(site).sum();
    }

    /** Returns the longest time from a mark to the end of its fetch, in milliseconds. */
    public long longestHoldMs() {
        return longestNanos.get() / 1_000_000L;
    }

    /** Sets the clock that counts the broker's own pauses from now on. */
    public synchronized void leaderClock(LeaderClock clock) {
        pausedBeforeMs = leaderPausedMs();
        leaderClock = clock;
    }

    /** Notes that a clock stops; a broker without scope "request" has none. */
    public synchronized void leaderClockStops(LeaderClock clock) {
        if (leaderClock == clock) {
            leaderClock(null);
        }
    }

    /**
     * Returns how long the leader's process was frozen or starved, in milliseconds. No follower is charged for that time.
     */
    public long leaderPausedMs() {
        LeaderClock clock = leaderClock;
        return pausedBeforeMs + (clock == null ? 0 : clock.pausedNanos() / 1_000_000L);
    }

    /** Returns all figures by their names in events and over the bridge. */
    public Map<String, Object> toMap() {
        return EventLog.fields("marks_total", marked.sum(), "released_total", released.sum(), "cleared_total", cleared.sum(),
            "outlived_total", outlived.sum(), "pending_now", pendingNow(), "held_now", heldNow(), "holds_granted", holdsGranted(),
            "longest_hold_ms", longestHoldMs(), "leader_paused_ms", leaderPausedMs());
    }
}
