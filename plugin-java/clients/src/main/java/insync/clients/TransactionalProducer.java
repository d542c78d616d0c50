package insync.clients;

import java.time.Duration;
import java.util.Properties;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Runs one transaction after the other, each with a few records on different partitions; aborts some on purpose. */
final class TransactionalProducer implements Runnable {
    /** How a transaction ended; a null time means that it never got that far. */
    private static final class Ended {
        final String end;
        final String error;
        final Long askedMicros;
        final Long tookMicros;

        Ended(String end, String error, Long askedMicros, Long tookMicros) {
            this.end = end;
            this.error = error;
            this.askedMicros = askedMicros;
            this.tookMicros = tookMicros;
        }
    }

    private final Plan plan;
    private final Control control;
    private final Output out;
    private final int number;
    private final String id;
    private final int[] partitions;
    private final Unanswered pending;
    private final Random random;
    private boolean acked;
    private int life;
    private long seq;
    private Producer<byte[], byte[]> client;

    TransactionalProducer(Plan plan, Control control, Output out, int number, String id) {
        this.plan = plan;
        this.control = control;
        this.out = out;
        this.number = number;
        this.id = id;
        this.partitions = plan.numbers("all_partitions");
        this.pending = new Unanswered(plan, true, out);
        this.random = new Random(("java/" + plan.text("seed") + "/transactions/" + number).hashCode());
        this.seq = (number + 1L) << plan.number("lane_bits");
        this.client = open();
    }

    @Override
    public void run() {
        try {
            if (repeated(client::initTransactions) != null) {
                return;
            }
            long start = System.nanoTime();
            long every = 1_000_000_000L / plan.number("transactions.per_second");
            for (long turn = 0; control.goesOnAt(start + turn * every); turn++) {
                transact(turn * plan.number("transactions.producers") + number);
            }
        } catch (Throwable error) {  // any error must end the run
            out.failed(error);
        } finally {
            pending.giveUp();
            client.close(Duration.ZERO);
        }
    }

    private void transact(long transaction) throws InterruptedException {
        boolean abort = random.nextInt(100) < plan.number("transactions.abort_percent");
        long begunMicros = Line.nowMicros();
        Ended ended = ended(transaction, abort);
        out.say(new Line("transactions", plan)
                .put("producer", number).put("transaction", transaction)
                .put("records", plan.number("transactions.records")).putMicros("begun_ms", begunMicros)
                .putMicros("asked_ms", ended.askedMicros).putMicros("ended_ms", Line.nowMicros())
                .putMicros("took_ms", ended.tookMicros).put("wanted", abort ? "abort" : "commit")
                .put("end", ended.end).put("error", ended.error).end());
        if (!acked && "committed".equals(ended.end)) {
            acked = true;
            control.firstAck();
        }
    }

    /** Runs one transaction; aborts it if it cannot be committed. */
    private Ended ended(long transaction, boolean abort) throws InterruptedException {
        try {
            client.beginTransaction();
            int first = random.nextInt(partitions.length);
            for (int step = 0; step < plan.number("transactions.records"); step++) {
                produce(transaction, partitions[(first + step) % partitions.length]);
            }
            if (abort) {  // the log must contain aborted records, which nobody may read
                while (!pending.isEmpty() && control.waitsForAnswers()) { }
            }
        } catch (KafkaException error) {
            return recovered(error, null);
        }
        long askedMicros = Line.nowMicros();
        long asked = System.nanoTime();
        KafkaException error = repeated(abort ? client::abortTransaction : client::commitTransaction);
        if (error != null) {
            return recovered(error, askedMicros);
        }
        return new Ended(abort ? "aborted" : "committed", null, askedMicros, (System.nanoTime() - asked) / 1000);
    }

    /** Aborts a failed transaction if the client still can; replaces the client otherwise. */
    private Ended recovered(KafkaException error, Long askedMicros) {
        String name = Unanswered.name(error);
        // At the end a commit may have timed out: its outcome is unknown, and a client may not abort after it.
        if (!control.givesUp()) {
            if (repeated(client::abortTransaction) == null) {
                return new Ended("aborted", name, askedMicros, null);
            }
            client.close(Duration.ZERO);
            pending.fail(name);  // no callback may report them
            life++;
            client = open();
            KafkaException failed = repeated(client::initTransactions);
            if (failed != null && !control.givesUp()) {
                throw failed;
            }
        }
        return new Ended("unknown", name, askedMicros, null);
    }

    /** Repeats a call while it times out; returns its error, null if it succeeds. */
    private KafkaException repeated(Runnable call) {
        while (true) {
            try {
                call.run();
                return null;
            } catch (TimeoutException error) {
                if (control.givesUp()) {
                    return error;
                }
            } catch (KafkaException error) {
                return error;
            }
        }
    }

    private void produce(long transaction, int partition) {
        long own = seq++;
        int producer = plan.number("producers") + number + life * plan.number("next_life");
        byte[] value = Value.of(plan.text("topic"), partition, own, random, plan.number("record_bytes"));
        pending.add(own, new Unanswered.Sent(partition, producer, transaction, System.nanoTime()));
        client.send(
                new ProducerRecord<>(plan.text("topic"), partition, null, value),
                (metadata, error) -> pending.answer(own, metadata, error));
    }

    private Producer<byte[], byte[]> open() {
        Properties settings = plan.settings("transactional.");
        settings.setProperty("transactional.id", id);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }
}
