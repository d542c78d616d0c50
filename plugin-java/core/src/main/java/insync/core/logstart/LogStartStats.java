package insync.core.logstart;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts how often a log start offset was corrected in this broker since its start. */
public final class LogStartStats {
    private final LongAdder bounded = new LongAdder();
    private final LongAdder snapshots = new LongAdder();

    /** Counts a follower that moved less far than the leader's answer said. */
    public void bounded() {
        bounded.increment();
    }

    /** Counts a leader's answer that was bounded to the state in which the records were read. */
    public void snapshot() {
        snapshots.increment();
    }

    /** Returns both figures by their names over the bridge. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("bounded", bounded.sum());
        map.put("snapshots", snapshots.sum());
        return map;
    }
}
