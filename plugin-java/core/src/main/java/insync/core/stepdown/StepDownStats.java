package insync.core.stepdown;

import insync.core.events.EventLog;
import insync.core.log.StepDownReport;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts step-downs in this broker since its start, for JMX and the bridge. */
public final class StepDownStats {
    final StepDownReport report;
    private final Map<Reason, LongAdder> decided = new EnumMap<>(Reason.class);
    private final Map<Outcome, LongAdder> ended = new EnumMap<>(Outcome.class);
    /** Clients' connections that were closed because they could not be served. */
    public final LongAdder connectionsClosed = new LongAdder();
    /** How often the controller has fenced this broker because it asked. */
    public final LongAdder fenced = new LongAdder();
    /** Whether this broker asks its controller to fence it now. */
    public volatile boolean asksToBeFenced;
    /** Whether this broker was slow at the last tick, or a moment before. */
    public volatile boolean slow;
    /** How many live peers looked slow at the last tick. */
    public volatile int slowPeers;

    public StepDownStats(StepDownReport report) {
        this.report = report;
        for (Reason reason : Reason.values()) {
            decided.put(reason, new LongAdder());
        }
        for (Outcome outcome : Outcome.values()) {
            ended.put(outcome, new LongAdder());
        }
    }

    void decided(Decision decision) {
        decided(decision.reason);
        report.decided(decision);
    }

    void decided(Reason reason) {
        decided.get(reason).increment();
    }

    void ended(Outcome outcome) {
        ended.get(outcome).increment();
    }

    /** Returns how many step-downs were requested. */
    public long asked() {
        return count(true);
    }

    /** Returns how many step-downs were requested or withheld for that reason. */
    public long count(Reason reason) {
        return decided.get(reason).sum();
    }

    /** Returns how many requested step-downs had that outcome. */
    public long count(Outcome outcome) {
        return ended.get(outcome).sum();
    }

    public long withheld() {
        return count(false);
    }

    private long count(boolean acts) {
        long all = 0;
        for (Reason reason : Reason.values()) {
            all += reason.acts() == acts ? count(reason) : 0;
        }
        return all;
    }

    /** Returns all figures by their names on the bridge. */
    public Map<String, Object> toMap() {
        Map<String, Object> by = new LinkedHashMap<>();
        for (Reason reason : Reason.values()) {
            if (!reason.acts()) {
                by.put(EventLog.word(reason), count(reason));
            }
        }
        Map<String, Object> map = EventLog.fields("asked", asked());
        ended.forEach((outcome, count) -> map.put(EventLog.word(outcome), count.sum()));
        map.putAll(EventLog.fields("withheld", withheld(), "withheld_by", by, "connections_closed", connectionsClosed.sum(),
            "slow", slow, "slow_peers", slowPeers));
        return map;
    }
}
