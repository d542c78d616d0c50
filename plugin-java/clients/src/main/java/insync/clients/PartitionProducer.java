package insync.clients;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Produces the records of one partition, or its share of them, at fixed times that no answer shifts.
 *
 * <p>Latency counts from the time at which a record was due. A full buffer fails a record at once and delays no other.
 */
final class PartitionProducer implements Runnable {
    private final Plan plan;
    private final Control control;
    private final Output out;
    private final int partition;
    private final Schedule schedule;
    private final Unanswered pending;
    private final Random random;
    private final Keys keys;
    private final AtomicBoolean acked = new AtomicBoolean();
    private int number;
    private Producer<byte[], byte[]> client;

    PartitionProducer(Plan plan, Control control, Output out, int partition, int lane) {
        this.plan = plan;
        this.control = control;
        this.out = out;
        this.partition = partition;
        this.schedule = Schedule.of(plan, partition, lane);
        this.pending = new Unanswered(plan, plan.flag("idempotent"), out);
        this.random = new Random(("java/" + plan.text("seed") + "/" + partition + "/" + lane).hashCode());
        this.keys = Keys.of(plan, partition, random);
        this.number = lane;
        this.client = open();
    }

    /** For how long its oldest record has waited for an answer, in ms. */
    long lateMs() {
        return pending.oldestMs();
    }

    @Override
    public void run() {
        try {
            awaitTopic();
            produceOnSchedule();
            while (!pending.isEmpty() && control.waitsForAnswers()) { }
        } catch (Throwable error) {  // any error must end the run
            out.failed(error);
        } finally {
            pending.giveUp();
            client.close(Duration.ZERO);
        }
    }

    private void awaitTopic() throws InterruptedException {
        do {
            try {
                client.partitionsFor(plan.text("topic"));
                return;
            } catch (TimeoutException notYet) {
                // The client never blocks: it has asked for the topic, and answers later.
            }
        } while (control.goesOn());
    }

    private void produceOnSchedule() throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            double after = schedule.after();
            if (Double.isInfinite(after)) {
                throw new IllegalStateException("partition " + partition + ": no more bursts are planned");
            }
            long due = start + (long) (after * 1e9);
            if (!control.goesOnAt(due)) {
                return;
            }
            produce(schedule.seq(), due);
            schedule.advance();
        }
    }

    private void produce(long seq, long due) {
        byte[] key = keys == null ? null : Keys.bytes(keys.next());
        byte[] value = Value.of(plan.text("topic"), partition, seq, random, plan.number("record_bytes"));
        pending.add(seq, new Unanswered.Sent(partition, number, null, due));
        try {
            client.send(new ProducerRecord<>(plan.text("topic"), partition, key, value), (metadata, error) -> {
                pending.answer(seq, metadata, error);
                if (error == null && acked.compareAndSet(false, true)) {
                    control.firstAck();
                }
            });
        } catch (KafkaException error) {
            pending.settle(seq, Unanswered.name(error), null);
            if (!(error instanceof ApiException)) {  // the client has failed, and fails every record from now on
                replace(Unanswered.name(error));
            }
        }
    }

    /** Continues with a new client, as applications do. */
    private void replace(String error) {
        client.close(Duration.ZERO);
        pending.fail(error);
        number += plan.number("next_life");
        client = open();
    }

    private Producer<byte[], byte[]> open() {
        return new KafkaProducer<>(
                plan.settings(plan.has("burst." + partition) ? "burst_producer." : "producer."),
                new ByteArraySerializer(), new ByteArraySerializer());
    }
}
