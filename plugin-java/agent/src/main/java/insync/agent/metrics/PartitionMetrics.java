package insync.agent.metrics;

import com.yammer.metrics.core.MetricName;
import insync.agent.kafka.KafkaPartition;
import insync.core.isr.Hold;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.TopicPartition;

/**
 * Keeps the metrics of each partition of which a follower was held since this broker leads it. They are registered within a
 * second of the first hold, and removed within a second of the end of leadership. At most {@value #MOST} partitions have them at a
 * time; the metrics of the broker count the others, too.
 */
final class PartitionMetrics {
    /** The most partitions that have metrics. */
    static final int MOST = 1_000;

    private final KafkaRegistry registry;
    private final Map<TopicPartition, Entry> entries = new ConcurrentHashMap<>();

    PartitionMetrics(KafkaRegistry registry) {
        this.registry = registry;
    }

    /** Counts a hold; takes no lock that another thread has while it waits. */
    void held(Hold hold) {
        KafkaPartition partition = partition(hold);
        TopicPartition key = partition.kafkaPartition().topicPartition();
        Entry entry = entries.get(key);
        if (entry == null && entries.size() < MOST) {
            entry = entries.computeIfAbsent(key, made -> new Entry(partition));
        }
        if (entry != null) {
            entry.granted.increment();
            entry.now.incrementAndGet();
        }
    }

    void released(Hold hold) {
        Entry entry = entries.get(partition(hold).kafkaPartition().topicPartition());
        if (entry != null) {
            entry.now.decrementAndGet();
        }
    }

    /** In the agent every follower is one of Kafka's. */
    private static KafkaPartition partition(Hold hold) {
        return (KafkaPartition) hold.follower();
    }

    /** Registers the metrics of new partitions, removes those of partitions that this broker no longer leads. */
    void update() {
        entries.forEach((key, entry) -> {
            if (!entry.partition.isLed()) {
                entries.remove(key, entry);
                entry.remove();
            } else {
                entry.update();
            }
        });
    }

    /** Removes all. */
    void clear() {
        entries.values().forEach(Entry::remove);
        entries.clear();
    }

    /** The counts of one partition. The thread that updates registers and removes. */
    private final class Entry {
        private final KafkaPartition partition;
        private final LongAdder granted = new LongAdder();
        private final AtomicInteger now = new AtomicInteger();
        private final MetricName holds;
        private final MetricName held;
        private CountedMeter meter;

        Entry(KafkaPartition partition) {
            this.partition = partition;
            String[] tags = {"topic", partition.topic(), "partition", String.valueOf(partition.partition())};
            this.holds = KafkaRegistry.name(AgentMetric.HOLDS_OF, tags);
            this.held = KafkaRegistry.name(AgentMetric.HELD_OF, tags);
        }

        void update() {
            if (meter == null) {
                registry.gauge(held, () -> Math.max(0, now.get()));
                meter = new CountedMeter(registry.meter(holds, BrokerMetrics.HOLDS), granted::sum);
            }
            meter.update();
        }

        void remove() {
            registry.remove(holds);
            registry.remove(held);
        }
    }
}
