package insync.clients;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A member of a consumer group: processes a record by printing its line, and commits after that. It leaves the group and
 * joins it again as planned; the members take turns.
 */
final class GroupMember implements Runnable, ConsumerRebalanceListener {
    private static final Duration POLL = Duration.ofMillis(50);

    private final Plan plan;
    private final Output out;
    private final int group;
    private final int slot;
    private final Map<TopicPartition, OffsetAndMetadata> toCommit = new HashMap<>();
    private volatile boolean cut;
    private volatile boolean stays;
    private Consumer<byte[], byte[]> client;

    GroupMember(Plan plan, Output out, int group, int slot) {
        this.plan = plan;
        this.out = out;
        this.group = group;
        this.slot = slot;
        this.client = open();
    }

    @Override
    public void run() {
        long commitNanos = millis("commit_ms");
        long leaveNanos = plan.has(key("rejoin_ms")) ? millis("rejoin_ms") : 0;
        long start = System.nanoTime();
        long commit = commitNanos;
        long turn = slot + 1;
        try {
            join();
            while (!cut) {
                poll();
                long since = System.nanoTime() - start;
                if (since >= commit) {
                    commitSoon();
                    commit = since + commitNanos;
                }
                if (leaveNanos > 0 && !stays && since >= turn * leaveNanos) {
                    client.close();  // commits, and leaves the group
                    client = open();
                    join();
                    turn += plan.number(key("size"));
                }
            }
        } catch (Throwable error) {  // any error must end the run
            out.failed(error);
        } finally {
            client.close();
        }
    }

    /** Leaves the group no more, so that it can process the rest. */
    void stay() {
        stays = true;
    }

    void cut() {
        cut = true;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        partitions.forEach(each -> print("assigned", each, null, null));
    }

    /** Commits what was processed of the partitions; others get them afterwards. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>(toCommit);
        offsets.keySet().retainAll(partitions);
        if (!offsets.isEmpty()) {
            try {
                client.commitSync(offsets);
                committed(offsets, null);
            } catch (KafkaException error) {
                committed(offsets, error);
            }
        }
        forget("revoked", partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        forget("lost", partitions);
    }

    private void forget(String event, Collection<TopicPartition> partitions) {
        toCommit.keySet().removeAll(partitions);
        partitions.forEach(each -> print(event, each, null, null));
    }

    private void join() {
        client.subscribe(List.of(plan.text("topic")), this);
    }

    private void poll() {
        for (ConsumerRecord<byte[], byte[]> record : client.poll(POLL)) {
            TopicPartition partition = new TopicPartition(record.topic(), record.partition());
            print("read", partition, record.offset(), null);
            toCommit.put(partition, new OffsetAndMetadata(record.offset() + 1));
        }
    }

    /** Commits without waiting, and prints how far behind the member is. */
    private void commitSoon() {
        for (TopicPartition partition : client.assignment()) {
            long next;
            try {
                next = client.position(partition, Duration.ZERO);
            } catch (KafkaException unknown) {
                continue;  // it has just got the partition
            }
            OptionalLong lag = client.currentLag(partition);
            lag.ifPresent(records -> print("lag", partition, next, records));
            if (lag.isPresent() && lag.getAsLong() == 0) {
                toCommit.put(partition, new OffsetAndMetadata(next));  // behind aborts and markers
            }
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>(toCommit);
        if (!offsets.isEmpty()) {
            toCommit.clear();
            // With the protocol "consumer" Kafka passes no offsets to the callback of a failed commit.
            client.commitAsync(offsets, (none, error) -> committed(offsets, error));
        }
    }

    /** Prints what the group's coordinator has stored; a failed commit is repeated later. */
    private void committed(Map<TopicPartition, OffsetAndMetadata> offsets, Exception error) {
        offsets.forEach((partition, offset) -> {
            if (error == null) {
                print("committed", partition, offset.offset(), null);
            } else if (client.assignment().contains(partition)) {
                toCommit.putIfAbsent(partition, offset);
            }
        });
    }

    private void print(String event, TopicPartition partition, Long offset, Long lag) {
        out.say(new Line("group", plan).putMicros("t_ms", Line.nowMicros()).put("group", group)
                .put("protocol", plan.text(key("protocol"))).put("member", slot).put("type", event)
                .put("partition", partition.partition()).put("offset", offset).put("lag", lag).end());
    }

    private long millis(String name) {
        return plan.number(key(name)) * 1_000_000L;
    }

    private String key(String name) {
        return "group." + group + "." + name;
    }

    private Consumer<byte[], byte[]> open() {
        Properties settings = plan.settings("member.");
        plan.settings(key("settings.")).forEach((name, value) -> settings.setProperty((String) name, (String) value));
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
