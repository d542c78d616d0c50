package insync.core.stepdown.controller;

import insync.core.stepdown.Reason;
import java.nio.ByteBuffer;

/**
 * Encodes the step-down options that a leader sends to a controller, in a tagged field (KIP-482)
 * that stock controllers ignore: whether it leaves the ISR, how long it should not lead again, and why it steps down. Agents
 * of versions that do not know the reason ignore it, and theirs lacks it.
 */
public final class RelinquishTag {
    /** The field's tag, in the last member of newIsrWithEpochs; Kafka numbers its own from 0. */
    public static final int TAG = 10_501;
    private static final int SIZE = 1 + Long.BYTES;
    private static final byte SLOW_FETCH = 1;
    private static final byte READ_ERROR = 2;

    private final boolean leaves;
    private final long cooldownMs;
    private final Reason reason;

    private RelinquishTag(boolean leaves, long cooldownMs, Reason reason) {
        this.leaves = leaves;
        this.cooldownMs = cooldownMs;
        this.reason = reason;
    }

    /** @param reason a reason that {@link Reason#acts acts} */
    public static byte[] encode(boolean leaves, long cooldownMs, Reason reason) {
        return ByteBuffer.allocate(SIZE + 1).put((byte) (leaves ? 1 : 0)).putLong(cooldownMs)
            .put(reason == Reason.READ_ERROR ? READ_ERROR : SLOW_FETCH).array();
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
        return code == SLOW_FETCH ? Reason.SLOW_FETCH : code == READ_ERROR ? Reason.READ_ERROR : null;
    }

    public boolean leaves() {
        return leaves;
    }

    /** Returns why the leader steps down, or null if it does not say. */
    public Reason reason() {
        return reason;
    }

    /** Returns how long the ex-leader should not lead again by an automatic election, milliseconds. */
    public long cooldownMs() {
        return cooldownMs;
    }
}
