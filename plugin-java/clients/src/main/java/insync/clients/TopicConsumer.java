package insync.clients;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads all partitions from their beginning, without a group, up to the end offsets that it is given. */
final class TopicConsumer implements Runnable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Plan plan;
    private final Output out;
    private final Map<Integer, Long> next = new TreeMap<>();
    private final Consumer<byte[], byte[]> client;
    private volatile Map<Integer, Long> ends;
    private volatile boolean cut;
    private volatile String lastError = "none";
    private volatile boolean complete;
    private final boolean fresh;
    private long count;

    /** {@code fresh} is whether it begins when the producers have stopped. */
    TopicConsumer(Plan plan, Output out, boolean fresh) {
        this.plan = plan;
        this.out = out;
        this.fresh = fresh;
        for (int partition : plan.numbers("all_partitions")) {
            next.put(partition, 0L);
        }
        client = new KafkaConsumer<>(
                plan.settings("consumer."), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public void run() {
        try {
            List<TopicPartition> all = new ArrayList<>();
            next.keySet().forEach(partition -> all.add(topicPartition(partition)));
            client.assign(all);
            all.forEach(each -> client.seek(each, 0));
            while (!cut && !complete) {
                poll();
                complete = atEnd();
            }
        } catch (Throwable error) {  // any error must end the run
            out.failed(error);
        } finally {
            client.close();
        }
    }

    /** Reads up to the end offsets; they may be those of markers and aborted records. */
    void readTo(Map<Integer, Long> offsets) {
        ends = new HashMap<>(offsets);
    }

    void cut() {
        cut = true;
    }

    boolean isComplete() {
        return complete;
    }

    /** Returns the next offset to read of each partition, {@code PARTITION:OFFSET,...}, and the last error. */
    synchronized String state() {
        String positions = next.entrySet().stream()
                .map(each -> each.getKey() + ":" + each.getValue()).collect(Collectors.joining(","));
        return positions + " " + lastError.replaceAll("\\s+", " ");
    }

    private void poll() throws InterruptedException {
        try {
            for (ConsumerRecord<byte[], byte[]> record : client.poll(POLL)) {
                take(record);
            }
        } catch (KafkaException error) {
            lastError = Unanswered.name(error) + ": " + error.getMessage();
            Thread.sleep(POLL.toMillis());  // the client goes on by itself
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        Value.Read said = Value.read(record.value(), record.topic(), record.partition());
        out.say(new Line("consume", plan)
                .put("partition", record.partition()).put("offset", record.offset())
                .put("seq", said.seq).putMicros("read_ms", Line.nowMicros()).put("nth", count++)
                .put("consumer", plan.number("consumer_number")).put("fresh", fresh).put("corrupt", said.wrong).end());
    }

    private synchronized boolean atEnd() {
        Map<Integer, Long> wanted = ends;
        if (wanted == null) {
            return false;
        }
        for (Integer partition : next.keySet()) {
            try {
                next.put(partition, client.position(topicPartition(partition), Duration.ZERO));
            } catch (TimeoutException unknown) {
                lastError = "no position: " + unknown.getMessage();
            }
        }
        return wanted.entrySet().stream().allMatch(end -> next.get(end.getKey()) >= end.getValue());
    }

    private TopicPartition topicPartition(int partition) {
        return new TopicPartition(plan.text("topic"), partition);
    }
}
