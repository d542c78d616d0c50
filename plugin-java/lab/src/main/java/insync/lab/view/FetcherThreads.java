package insync.lab.view;

import com.yammer.metrics.core.Gauge;
import com.yammer.metrics.core.MetricsRegistry;
import insync.core.events.EventLog;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Lists the threads with which this broker fetches, and counts the partitions that they gave up. */
public final class FetcherThreads {
    private static final List<String> NAMES = List.of("ReplicaFetcherThread-", "ReplicaAlterLogDirsThread-");

    private FetcherThreads() { }

    /**
     * @return threads, the names of those alive; and failed_partitions by Kafka's own gauges, or null where it has none
     */
    public static Map<String, Object> now(MetricsRegistry metrics) {
        List<Number> failed = metrics.allMetrics().entrySet().stream()
            .filter(each -> each.getKey().getName().equals("FailedPartitionsCount"))
            .map(each -> (Number) ((Gauge<?>) each.getValue()).value()).collect(Collectors.toList());
        return EventLog.fields("threads", threads(),
            "failed_partitions", failed.isEmpty() ? null : failed.stream().mapToLong(Number::longValue).sum());
    }

    private static List<String> threads() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        // Leaves room for threads that start meanwhile; those that do not fit are silently left out.
        Thread[] alive = new Thread[2 * all.activeCount() + 100];
        all.enumerate(alive);
        return Arrays.stream(alive).filter(Objects::nonNull).map(Thread::getName)
            .filter(name -> NAMES.stream().anyMatch(name::startsWith)).sorted().collect(Collectors.toList());
    }
}
