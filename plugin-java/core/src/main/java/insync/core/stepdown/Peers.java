package insync.core.stepdown;

import java.util.HashMap;
import java.util.Map;

/**
 * Scores how slow each live peer looks to this broker, by the same rule as its own score, from how long its fetches to
 * that peer are overdue. The score of a peer that it does not fetch from can only fall.
 */
final class Peers {
    private final StepDownSettings settings;
    private final PeerFetches fetches;
    private final StepDownStats stats;
    private final Map<Integer, SlowScore> scores = new HashMap<>();
    private final Map<Integer, Long> ages = new HashMap<>();
    private int slow;
    private int live;

    Peers(StepDownSettings settings, PeerFetches fetches, StepDownStats stats) {
        this.settings = settings;
        this.fetches = fetches;
        this.stats = stats;
    }

    /** @param livePeers the score of any other peer can only fall, because a dead peer is not slow */
    void tick(RunningTime time, long elapsed, int[] livePeers) {
        ages.clear();
        live = livePeers.length;
        for (int peer : livePeers) {
            long sent = fetches.oldest(peer);
            ages.put(peer, sent == OutgoingFetch.NONE ? 0 : time.since(sent + settings.fetchWaitMaxNanos()));
            scores.computeIfAbsent(peer, id -> new SlowScore(settings));
        }
        slow = 0;
        scores.forEach((peer, score) -> {
            if (score.tick(elapsed, (double) ages.getOrDefault(peer, 0L) / settings.processTimeMaxNanos())) {
                stats.peerSlow(peer, score.isSlow(), score.value());
            }
            slow += score.isSlow() && ages.containsKey(peer) ? 1 : 0;
        });
    }

    boolean isLive(int peer) {
        return ages.containsKey(peer);
    }

    boolean isSlow(int peer) {
        return scores.containsKey(peer) && scores.get(peer).isSlow();
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
