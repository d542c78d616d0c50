package insync.core.log;

import insync.core.Insync;
import insync.core.Millis;
import insync.core.events.EventLog;
import insync.core.isr.PendingListener;
import insync.core.isr.Stats;
import insync.core.log.BrokerLog.Level;
import insync.core.log.BrokerLog.Name;
import java.util.Map;

/**
 * Emits events about marks: one summary per second while marks exist, and one event for each fetch that was pending for
 * longer than half of replica.lag.time.max.ms. Its thread also updates what is derived from the counters every second.
 */
public final class PendingReport implements PendingListener {
    private static final long PERIOD_MS = 1_000;

    private final Insync insync;
    private final EventLog events;
    private final Stats stats;
    private final long longNanos;
    private final Thread summaries = new Thread(this::run, "insync-pending-report");
    private long lastMarks;

    /** @param lagTimeMaxMs the broker's replica.lag.time.max.ms */
    public PendingReport(Insync insync, long lagTimeMaxMs) {
        this.insync = insync;
        this.events = insync.events;
        this.stats = insync.stats;
        this.longNanos = Millis.toNanos(lagTimeMaxMs) / 2;
        summaries.setDaemon(true);
    }

    public void start() {
        summaries.start();
    }

    public void stop() {
        summaries.interrupt();
    }

    @Override
    public void released(int replicaId, String topic, int partition, long pendingNanos) {
        if (pendingNanos > longNanos) {
            events.emit("pending_long", EventLog.fields("topic", topic, "partition", partition,
                "replica", replicaId, "held_ms", pendingNanos / 1_000_000L));
        }
    }

    @Override
    public void outlived(int replicaId, String topic, int partition, long pendingNanos) {
        Map<String, Object> which = EventLog.fields("topic", topic, "partition", partition, "replica", replicaId,
            "pending_ms", pendingNanos / 1_000_000L);
        events.emit("pending_outlived", which);
        insync.log.offer(Name.PENDING_READS, Level.WARN, () -> "A fetch has been pending for too long and no longer keeps its "
            + "follower in the ISR: " + which);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(PERIOD_MS);
                try {
                    summarise();
                } catch (RuntimeException | Error failed) {
                    insync.failures.record("pending report", failed);
                }
                insync.eachSecond();
            }
        } catch (InterruptedException ending) {
            insync.eachSecond();
            Thread.currentThread().interrupt();
        }
    }

    private void summarise() {
        Map<String, Object> figures = stats.toMap();
        long marks = stats.marked.sum();
        if (marks != lastMarks || stats.pendingNow() > 0) {
            lastMarks = marks;
            events.emit("pending", figures);
        }
    }
}
