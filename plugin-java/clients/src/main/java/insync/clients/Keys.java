package insync.clients;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/**
 * Chooses the keys of one partition's records: key k, counted from 0, is as frequent as 1 / (k + 1)^skew, and belongs to
 * partition k modulo their number.
 */
final class Keys {
    private final int first;
    private final int step;
    private final double[] upTo;
    private final Random random;

    Keys(int partition, int partitions, int keys, double skew, Random random) {
        this.first = partition;
        this.step = partitions;
        this.random = random;
        this.upTo = new double[(keys - partition + partitions - 1) / partitions];
        double sum = 0;
        for (int number = 0; number < upTo.length; number++) {
            sum += Math.pow(1.0 / (partition + number * partitions + 1), skew);
            upTo[number] = sum;
        }
    }

    /** Returns the keys of a plan's partition; null if its records have none. */
    static Keys of(Plan plan, int partition, Random random) {
        return plan.has("keys")
                ? new Keys(partition, plan.number("partitions"), plan.number("keys"), plan.real("key_skew"), random)
                : null;
    }

    /** Returns the number of the next record's key. */
    int next() {
        int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
        int number = Math.min(found < 0 ? -found - 1 : found + 1, upTo.length - 1);
        return first + number * step;
    }

    static byte[] bytes(int key) {
        return ("key-" + key).getBytes(StandardCharsets.US_ASCII);
    }
}
