package insync.core.stepdown.controller;

import insync.core.stepdown.Reason;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Encodes the step-down options that a leader sends to a controller, in a tagged field (KIP-482)
 * that other controllers ignore: whether it leaves the ISR, how long it should not lead again, and why it steps down.
 * Versions that do not know the reason ignore it, and theirs lacks it.
 */
public final class RelinquishTag {
    /** The field's tag, in the last member of newIsrWithEpochs; Kafka numbers its own from 0. */
    public static final int TAG = 10_501;
    private static final int SIZE = 1 + Long.BYTES;
    /** The reasons that a leader may send. A reason's code is its place here, from 1 on, so a new one goes to the end. */
    private static final Reason[] REASONS = {Reason.SLOW_FETCH, Reason.READ_ERROR, Reason.SLOW_APPEND};

    /** Whether the leader leaves the ISR. */
    public final boolean leaves;
    /** How long the ex-leader should not lead again by an automatic election, milliseconds. */
    public final long cooldownMs;
    /** Why the leader steps down, or null if it does not say. */
    public final Reason reason;

    private RelinquishTag(boolean leaves, long cooldownMs, Reason reason) {
        this.leaves = leaves;
        this.cooldownMs = cooldownMs;
        this.reason = reason;
    }

    /** @param reason a reason that {@link Reason#acts acts} */
    public static byte[] encode(boolean leaves, long cooldownMs, Reason reason) {
        return ByteBuffer.allocate(SIZE + 1).put((byte) (leaves ? 1 : 0)).putLong(cooldownMs)
            .put((byte) (Arrays.asList(REASONS).indexOf(reason) + 1)).array();
    }

    /** Decodes any bytes; null or another tag means that no option is set. */
    public static RelinquishTag decode(byte[] data) {
        if (data == null || data.length < SIZE) {
            return new RelinquishTag(false, 0, null);
        }
        ByteBuffer all = ByteBuffer.wrap(data);
        return new RelinquishTag(all.get() == 1, Math.max(0, all.getLong()), all.hasRemaining() ? reason(all.get()) : null);
    }

    private static Reason reason(byte code) {
        return code > 0 && code <= REASONS.length ? REASONS[code - 1] : null;
    }
}
