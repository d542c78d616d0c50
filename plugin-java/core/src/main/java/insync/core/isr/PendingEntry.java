package insync.core.isr;

import java.util.LinkedHashMap;
import java.util.Map;

/** Describes one pending fetch to people and tools. */
final class PendingEntry {

    private PendingEntry() { }

    /** Returns the fields of an entry, in this order: offset, leader_epoch, age_ms. */
    static Map<String, Object> of(long offset, int leaderEpoch, long ageNanos) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("offset", offset);
        fields.put("leader_epoch", leaderEpoch);
        fields.put("age_ms", ageNanos / 1_000_000L);
        return fields;
    }
}
