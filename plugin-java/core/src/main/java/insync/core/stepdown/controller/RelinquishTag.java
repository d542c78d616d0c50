package insync.core.stepdown.controller;

import java.nio.ByteBuffer;

/**
 * Encodes the step-down options that a leader sends to a controller, in a tagged field (KIP-482)
 * that stock controllers ignore: whether it leaves the ISR, and how long it should not lead again.
 */
public final class RelinquishTag {
    /** The field's tag, in the last member of newIsrWithEpochs; Kafka numbers its own from 0. */
    public static final int TAG = 10_501;
    private static final int SIZE = 1 + Long.BYTES;

    private final boolean leaves;
    private final long cooldownMs;

    private RelinquishTag(boolean leaves, long cooldownMs) {
        this.leaves = leaves;
        this.cooldownMs = cooldownMs;
    }

    public static byte[] encode(boolean leaves, long cooldownMs) {
        return ByteBuffer.allocate(SIZE).put((byte) (leaves ? 1 : 0)).putLong(cooldownMs).array();
    }

    /** Decodes any bytes; null or another tag means that no option is set. */
    public static RelinquishTag decode(byte[] data) {
        if (data == null || data.length < SIZE) {
            return new RelinquishTag(false, 0);
        }
        ByteBuffer all = ByteBuffer.wrap(data);
        return new RelinquishTag(all.get() == 1, Math.max(0, all.getLong()));
    }

    public boolean leaves() {
        return leaves;
    }

    /** Returns how long the ex-leader should not lead again by an automatic election, milliseconds. */
    public long cooldownMs() {
        return cooldownMs;
    }
}
