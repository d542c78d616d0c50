package insync.core.stepdown;

import java.util.HashMap;
import java.util.Map;

/**
 * Keeps the state of led partitions from tick to tick, and says how long each is not given away.
 *
 * <p>A partition that this broker did not lead at the previous tick may come from a step-down: brokers do not notify their
 * successors. It stays for the cool-down, so that slow brokers do not pass a partition on.
 *
 * <p>A partition that this broker gave away itself and that returns, for example by a preferred election, has no such
 * protection: the disk may still be slow, and another cool-down would be another stall as long. It stays until some time after
 * it was last given away: 4 T the first time, four times as long each further time, and at most the cool-down. A
 * partition that is led for a cool-down without a slow fetch or append begins with 4 T again.
 */
final class LedPartitions {
    private static final long NEVER = Long.MIN_VALUE;
    private static final int TICKS_BETWEEN_SWEEPS = 64;
    private static final int BACK_OFF = 4;
    /** The failures in a row after which a request is repeated no later than after those before. */
    private static final int MOST_FAILURES = 2;
    /** The most doublings of {@link Entry#restNanos}. */
    private static final int MOST_DOUBLINGS = 5;

    private final StepDownSettings settings;
    private final Map<String, Map<Integer, Entry>> entries = new HashMap<>();
    private long tick;

    LedPartitions(StepDownSettings settings) {
        this.settings = settings;
    }

    void begin(long now) {
        tick++;
        if (tick % TICKS_BETWEEN_SWEEPS == 0) {
            entries.values().forEach(of -> of.values().removeIf(entry -> isForgettable(entry, now)));
            entries.values().removeIf(Map::isEmpty);
        }
    }

    /** Notes that this broker leads the partition at this tick; called once for each, at every tick. */
    Entry led(PartitionView partition, long now) {
        int epoch = partition.leaderEpoch();
        Map<Integer, Entry> ofTopic = entries.computeIfAbsent(partition.topic(), topic -> new HashMap<>());
        Entry entry = ofTopic.get(partition.partition());
        boolean isNew = entry == null;
        if (isNew) {
            entry = new Entry();
            ofTopic.put(partition.partition(), entry);
        }
        boolean sameTerm = !isNew && (entry.epoch == epoch || entry.lastTick == tick - 1 && !entry.given);
        // Epoch 0 is a new partition. A partition led at the first tick may have been led for a long time.
        if (!sameTerm && epoch > 0 && tick > 1) {
            entry.arrived = now;
        }
        if (!sameTerm) {
            entry.calmSince = now;
        }
        if (isNew || entry.epoch != epoch) {
            entry.begin(epoch);
        }
        entry.lastTick = tick;
        return entry;
    }

    /** Returns null for a partition that is not known. */
    Entry find(String topic, int partition) {
        return entries.getOrDefault(topic, Map.of()).get(partition);
    }

    private boolean isForgettable(Entry entry, long now) {
        boolean mayBeAnswered = entry.isAwaited() && !entry.isAwaitedSince(now, 2 * StepDownWatch.ANSWER_NANOS);
        boolean mayReturn = entry.gives > 0 && now - entry.lastGive < 2 * entry.restNanos();
        return entry.lastTick < tick - 1 && !entry.isCooling(now) && !mayReturn && !mayBeAnswered;
    }

    final class Entry {
        int epoch;
        private long lastTick;
        private long arrived = NEVER;
        private long lastGive = NEVER;
        /** How often it was given away since it was last led for a cool-down in which it was not slow. */
        private int gives;
        /** Since when no fetch of the partition and no append to it is slow. */
        long calmSince = NEVER;
        private long asked = NEVER;
        private long notBefore = NEVER;
        /** How many requests in a row failed, at most {@link #MOST_FAILURES}: no controller was reached, or none answered. */
        private int failures;
        /** Whether another broker leads it. A stalled read may prevent this broker from applying that. */
        boolean given;
        /** The last decision that was requested in this epoch, or null. */
        Decision decided;
        private Reason emitted;

        private void begin(int inEpoch) {
            epoch = inEpoch;
            asked = NEVER;
            notBefore = NEVER;
            failures = 0;
            given = false;
            decided = null;
            emitted = null;
        }

        /** Returns whether it is too early to give it away: after it came here, or after it was last given away. */
        boolean isCooling(long now) {
            if (gives > 0) {
                return now - lastGive < backOffNanos();
            }
            return arrived != NEVER && now - arrived < settings.cooldownNanos();
        }

        private long backOffNanos() {
            long backOff = BACK_OFF * settings.processTimeMaxNanos();
            for (int give = 1; give < gives && backOff < settings.cooldownNanos(); give++) {
                backOff *= BACK_OFF;
            }
            return Math.min(backOff, settings.cooldownNanos());
        }

        /**
         * Returns for how long controllers should not return it by an automatic election after it is given away again:
         * the cool-down, and twice as long each further time, but not more than 32 times as long.
         */
        long restNanos() {
            return settings.cooldownNanos() << Math.min(gives, MOST_DOUBLINGS);
        }

        boolean isAwaited() {
            return asked != NEVER;
        }

        boolean isAwaitedSince(long now, long limit) {
            return asked != NEVER && now - asked > limit;
        }

        /** Returns whether it is too early to repeat the request. */
        boolean isRefused(long now) {
            return notBefore != NEVER && now - notBefore < 0;
        }

        void asked(Decision decision, long now) {
            asked = now;
            decided = decision;
        }

        void given(long now) {
            asked = NEVER;
            lastGive = now;
            gives++;
            given = true;
        }

        /** Notes that the controller refused a request, which it would do again. */
        void refused(long now) {
            asked = NEVER;
            failures = 0;
            notBefore = now + settings.processTimeMaxNanos();
        }

        /**
         * Notes that a request failed. The next one may succeed soon; while there is no controller, each would fail. So it is made T/4
         * later, then T/2, then T. Not later than that: what hangs waits for the controller's return.
         */
        void failed(long now) {
            asked = NEVER;
            notBefore = now + (settings.processTimeMaxNanos() >> MOST_FAILURES - failures);
            failures = Math.min(failures + 1, MOST_FAILURES);
        }

        /** Returns whether a reason differs from the one that was emitted last. */
        boolean isNew(Reason reason) {
            boolean differs = emitted != reason;
            emitted = reason;
            return differs;
        }

        /** Notes that the partition is not slow. */
        void answeredInTime(long now) {
            emitted = null;
            failures = 0;
            if (gives > 0 && now - calmSince >= settings.cooldownNanos()) {
                gives = 0;
                arrived = NEVER;
            }
        }
    }
}
