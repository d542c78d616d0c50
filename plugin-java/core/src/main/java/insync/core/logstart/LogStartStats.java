package insync.core.logstart;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How often a log start offset was put right in this broker since its start. */
public final class LogStartStats {
    private final LongAdder bounded = new LongAdder();
    private final LongAdder snapshots = new LongAdder();

    /** A follower went less far than the leader's answer told it to. */
    public void bounded() {
        bounded.increment();
    }

    /** A leader's answer was kept to the state in which the records were read. */
    public void snapshot() {
        snapshots.increment();
    }

    /** Both figures by their names over the bridge. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("bounded", bounded.sum());
        map.put("snapshots", snapshots.sum());
        return map;
    }
}
