package insync.core.stepdown;

import insync.core.isr.FollowerTracker;
import java.util.HashMap;
import java.util.Map;

/**
 * Says which live peers look slow to this broker, by the same rule as it does itself, from how long its fetches to that peer are
 * overdue. One that it does not fetch from looks slow for a while at most.
 */
final class Peers {
    private final StepDownSettings settings;
    private final PeerFetches fetches;
    private final StepDownStats stats;
    private final Map<Integer, Slowness> slowness = new HashMap<>();
    private final Map<Integer, Long> ages = new HashMap<>();
    private int slow;
    private int live;

    Peers(StepDownSettings settings, PeerFetches fetches, StepDownStats stats) {
        this.settings = settings;
        this.fetches = fetches;
        this.stats = stats;
    }

    /** @param livePeers no other peer is slow, because a dead one is not */
    void tick(RunningTime time, long elapsed, int[] livePeers) {
        ages.clear();
        live = livePeers.length;
        for (int peer : livePeers) {
            long sent = fetches.oldest(peer);
            ages.put(peer, sent == FollowerTracker.NOT_PENDING ? 0 : time.since(sent + settings.fetchWaitMaxNanos()));
            slowness.computeIfAbsent(peer, id -> new Slowness(settings));
        }
        slow = 0;
        slowness.forEach((peer, one) -> {
            if (one.tick(elapsed, ages.getOrDefault(peer, 0L) > settings.processTimeMaxNanos())) {
                stats.report.peerSlow(peer, one.isSlow());
            }
            slow += one.isSlow() && ages.containsKey(peer) ? 1 : 0;
        });
    }

    boolean isLive(int peer) {
        return ages.containsKey(peer);
    }

    boolean isSlow(int peer) {
        return slowness.containsKey(peer) && slowness.get(peer).isSlow();
    }

    /** Returns whether a peer may soon become slow: its answer is overdue for more than half of T. */
    boolean isSuspect(int peer) {
        return ages.getOrDefault(peer, 0L) > settings.processTimeMaxNanos() / 2;
    }

    /** Returns how many live peers look slow. */
    int slow() {
        return slow;
    }

    /** Returns whether so many peers look slow that a step-down would not help. */
    boolean tooManySlow() {
        return slow > live * settings.slowPeersMaxRatio();
    }
}
