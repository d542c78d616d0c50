package insync.core.stepdown;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the watch has decided in this broker since its start. The same figures feed JMX and events. */
public final class StepDownStats {
    private final Map<Reason, LongAdder> decided = new EnumMap<>(Reason.class);
    private final Map<Outcome, LongAdder> ended = new EnumMap<>(Outcome.class);
    private volatile double score;
    private volatile int slowPeers;

    public StepDownStats() {
        for (Reason reason : Reason.values()) {
            decided.put(reason, new LongAdder());
        }
        for (Outcome outcome : Outcome.values()) {
            ended.put(outcome, new LongAdder());
        }
    }

    void decided(Reason reason) {
        decided.get(reason).increment();
    }

    void ended(Outcome outcome) {
        ended.get(outcome).increment();
    }

    void seen(double ownScore, int peersThatLookSlow) {
        score = ownScore;
        slowPeers = peersThatLookSlow;
    }

    /** Partitions that were asked to be led by another broker. */
    public long asked() {
        return count(Reason.SLOW_FETCH);
    }

    /** Step-downs asked for, or times that a partition's step-down came to be withheld for that reason. */
    public long count(Reason reason) {
        return decided.get(reason).sum();
    }

    /** Step-downs asked for that ended so. */
    public long count(Outcome outcome) {
        return ended.get(outcome).sum();
    }

    /** Times that a partition's step-down came to be withheld, whatever the reason. */
    public long withheld() {
        long all = 0;
        for (Reason reason : Reason.values()) {
            all += reason == Reason.SLOW_FETCH ? 0 : count(reason);
        }
        return all;
    }

    /** This broker's score at the last tick. */
    public double score() {
        return score;
    }

    /** How many live peers looked slow at the last tick. */
    public int slowPeers() {
        return slowPeers;
    }

    /** All figures by their names in events. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("step_downs_asked", asked());
        map.put("step_downs_withheld", withheld());
        ended.forEach((outcome, count) -> map.put("step_downs_" + outcome.word(), count.sum()));
        for (Reason reason : Reason.values()) {
            if (reason != Reason.SLOW_FETCH) {
                map.put("withheld_" + reason.word(), count(reason));
            }
        }
        map.put("slow_score", score);
        map.put("slow_peers", slowPeers);
        return map;
    }
}
