package insync.clients;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.protocol.Errors;

/** The unanswered records of one producer: prints each one's line once, when it has an answer or never will. */
final class Unanswered {
    /** One record that was due. */
    static final class Sent {
        final int partition;
        final int producer;
        final Long transaction;
        final long dueNanos;
        final long dueMicros;

        Sent(int partition, int producer, Long transaction, long dueNanos) {
            this.partition = partition;
            this.producer = producer;
            this.transaction = transaction;
            this.dueNanos = dueNanos;
            this.dueMicros = Line.nowMicros() - (System.nanoTime() - dueNanos) / 1000;
        }
    }

    private final Map<Long, Sent> waiting = new ConcurrentHashMap<>();
    private final Plan plan;
    private final boolean idempotent;
    private final Output out;

    Unanswered(Plan plan, boolean idempotent, Output out) {
        this.plan = plan;
        this.idempotent = idempotent;
        this.out = out;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** For how long the oldest record has waited for its answer, in ms; 0 if none waits. Any thread may ask. */
    long oldestMs() {
        long now = System.nanoTime();
        long oldest = waiting.values().stream().mapToLong(sent -> now - sent.dueNanos).max().orElse(0);
        return TimeUnit.NANOSECONDS.toMillis(oldest);
    }

    void add(long seq, Sent sent) {
        waiting.put(seq, sent);
    }

    /** Settles a record as the client answers. */
    void answer(long seq, RecordMetadata metadata, Exception error) {
        if (error != null) {
            settle(seq, name(error), null);
        } else {
            // Without an offset the broker says only that it already has the record.
            settle(seq, null, metadata.hasOffset() ? metadata.offset() : null);
        }
    }

    void settle(long seq, String error, Long offset) {
        Sent sent = waiting.remove(seq);
        if (sent != null) {  // a closed client may answer again
            long tookMicros = (System.nanoTime() - sent.dueNanos) / 1000;
            print(seq, sent, Line.nowMicros(), tookMicros, error, offset);
        }
    }

    /** Settles all records after their client failed; whether a broker has them is unknown. */
    void fail(String error) {
        for (Long seq : waiting.keySet()) {
            settle(seq, error, null);
        }
    }

    /** Prints the lines of records that were never answered. */
    void giveUp() {
        for (Long seq : waiting.keySet()) {
            Sent sent = waiting.remove(seq);
            if (sent != null) {
                print(seq, sent, null, null, null, null);
            }
        }
    }

    private void print(long seq, Sent sent, Long doneMicros, Long tookMicros, String error, Long offset) {
        out.say(new Line("produce", plan)
                .put("partition", sent.partition).put("seq", seq).putMicros("sent_ms", sent.dueMicros)
                .putMicros("done_ms", doneMicros).putMicros("latency_ms", tookMicros)
                .put("error", error).put("offset", offset).put("producer", sent.producer)
                .put("idempotent", idempotent).put("transaction", sent.transaction).end());
    }

    /** Returns Kafka's name of an error, or the exception's if Kafka has none. */
    static String name(Throwable error) {
        Errors known = Errors.forException(error);
        boolean none = known == Errors.UNKNOWN_SERVER_ERROR && !(error instanceof UnknownServerException);
        return none ? error.getClass().getSimpleName() : known.name();
    }
}
