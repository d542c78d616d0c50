package insync.clients;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What all parts of a workload share: when they must end, and whether every producer has its first ack. */
final class Control {
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch abandon = new CountDownLatch(1);
    private final AtomicInteger withoutAck;
    private final long drainNanos;
    private final Output out;
    private volatile long stoppedNanos;

    Control(int producers, long drainMs, Output out) {
        this.withoutAck = new AtomicInteger(producers);
        this.drainNanos = TimeUnit.MILLISECONDS.toNanos(drainMs);
        this.out = out;
    }

    /** Waits until a moment of System.nanoTime; returns false at once when producing has ended. */
    boolean goesOnAt(long nanos) throws InterruptedException {
        return !stop.await(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Waits a moment; returns false when producing has ended. */
    boolean goesOn() throws InterruptedException {
        return goesOnAt(System.nanoTime() + STEP_NANOS);
    }

    /** Waits a moment; returns false when nobody waits for answers any more. */
    boolean waitsForAnswers() throws InterruptedException {
        return !abandon.await(STEP_NANOS, TimeUnit.NANOSECONDS) && !givesUp();
    }

    /** Whether the time for the last answers is over. */
    boolean givesUp() {
        return abandon.getCount() == 0
                || stop.getCount() == 0 && System.nanoTime() - stoppedNanos > drainNanos;
    }

    /** A producer has its first ack. */
    void firstAck() {
        if (withoutAck.decrementAndGet() == 0) {
            out.say("acked");
        }
    }

    void stop() {
        stoppedNanos = System.nanoTime();
        stop.countDown();
    }

    void abandon() {
        stop();
        abandon.countDown();
    }
}
