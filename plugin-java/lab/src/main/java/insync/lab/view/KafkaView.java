package insync.lab.view;

import com.yammer.metrics.core.Gauge;
import insync.agent.Features;
import insync.agent.broker.BrokerLifecycle;
import insync.agent.config.BrokerConfigs;
import insync.bridge.BrokerView;
import insync.core.events.EventLog;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;

/** Shows the bridge what is the same in all versions. Reads only, takes no lock. */
public abstract class KafkaView implements BrokerView {
    private static final List<String> FETCHERS = List.of("ReplicaFetcherThread-", "ReplicaAlterLogDirsThread-");
    protected final ReplicaManager replicas;
    protected final KafkaConfig config;

    protected KafkaView(ReplicaManager replicas, KafkaConfig config) {
        this.replicas = replicas;
        this.config = config;
    }

    @Override
    public final int brokerId() {
        return config.brokerId();
    }

    @Override
    public final String brokerVersion() {
        return Features.current().brokerVersion;
    }

    @Override
    public final Map<String, Object> settings() {
        return BrokerConfigs.all(config);
    }

    @Override
    public final Map<String, Object> fetchers() {
        // Kafka's own gauges; it may have none.
        List<Number> failed = BrokerLifecycle.registry().allMetrics().entrySet().stream()
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
            .filter(name -> FETCHERS.stream().anyMatch(name::startsWith)).sorted().collect(Collectors.toList());
    }
}
