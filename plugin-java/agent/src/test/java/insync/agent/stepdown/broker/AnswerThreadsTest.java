package insync.agent.stepdown.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of answers to produce requests while the thread that gives them hangs. */
class AnswerThreadsTest {
    private final Object broker = new Object();
    private final CountDownLatch hang = new CountDownLatch(1);
    private final AtomicInteger answered = new AtomicInteger();

    @BeforeEach
    void theThreadHangs() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AnswerThreads.produce(broker, of(0), () -> {
            begun.countDown();
            await(hang);
        });
        await(begun);
    }

    @AfterEach
    void itGoesOn() {
        hang.countDown();
    }

    private static TopicPartition of(int partition) {
        return new TopicPartition("events", partition);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException ended) {
            throw new AssertionError(ended);
        }
    }

    /** Waits until the thread has done all that it was given before. */
    private void drain() {
        CountDownLatch last = new CountDownLatch(1);
        AnswerThreads.produce(new Object(), of(0), last::countDown);
        hang.countDown();
        await(last);
    }

    @Test
    void noPartitionIsForgottenHoweverManyWait() {
        for (int i = 0; i < 20_000; i++) {
            AnswerThreads.produce(broker, of(i), answered::incrementAndGet);
        }
        drain();
        assertEquals(20_000, answered.get());
    }

    @Test
    void whatWaitsIsBoundedByThePartitionsOfEachBroker() {
        for (int i = 0; i < 1_000; i++) {
            AnswerThreads.produce(broker, of(1), answered::incrementAndGet);
        }
        AnswerThreads.produce(new Object(), of(1), answered::incrementAndGet);
        drain();
        assertEquals(2, answered.get());
    }

    /** The system may refuse a thread. Kafka's Partition changes its ISR no more until it gets an answer, whatever that says. */
    @Test
    void anIsrChangeIsAnsweredAlsoIfThereIsNoThreadForIt() {
        CompletableFuture<String> kafkas = new CompletableFuture<>();
        CompletableFuture<String> handedOn = AnswerThreads.elsewhere(kafkas, answer -> {
            throw new OutOfMemoryError("planted");
        });
        kafkas.complete("new ISR");
        assertTrue(handedOn.isCompletedExceptionally());
    }

    @Test
    void anIsrChangeHasKafkasOwnAnswer() {
        CompletableFuture<String> kafkas = new CompletableFuture<>();
        CompletableFuture<String> handedOn = AnswerThreads.elsewhere(kafkas);
        kafkas.complete("new ISR");
        assertEquals("new ISR", handedOn.join());
        CompletableFuture<String> refused = new CompletableFuture<>();
        CompletableFuture<String> refusal = AnswerThreads.elsewhere(refused);
        refused.completeExceptionally(Errors.INVALID_UPDATE_VERSION.exception());
        assertEquals(Errors.INVALID_UPDATE_VERSION, Errors.forException(assertThrows(CompletionException.class, refusal::join)));
    }

    /** What came after a thread began may have been too late for it. */
    @Test
    void aPartitionThatIsAnsweredNowIsAnsweredAgain() {
        AnswerThreads.produce(broker, of(0), answered::incrementAndGet);
        drain();
        assertEquals(1, answered.get());
    }
}
