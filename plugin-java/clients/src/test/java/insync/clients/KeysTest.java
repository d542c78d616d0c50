package insync.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Keys are as frequent as the skew says, and each belongs to its partition. */
class KeysTest {
    private static final int RECORDS = 200_000;

    private static int[] counted(int partition, int partitions, int keys, double skew) {
        Keys own = new Keys(partition, partitions, keys, skew, new Random(1));
        int[] counts = new int[keys];
        for (int record = 0; record < RECORDS; record++) {
            counts[own.next()]++;
        }
        return counts;
    }

    @Test
    void theFirstKeysAreTheMostFrequent() {
        int[] counts = counted(1, 3, 9, 1.0);  // keys 1, 4, 7 with weights 1/2, 1/5, 1/8
        double sum = 1 / 2.0 + 1 / 5.0 + 1 / 8.0;
        for (int key : new int[] {1, 4, 7}) {
            assertEquals(1.0 / (key + 1) / sum, counts[key] / (double) RECORDS, 0.01);
        }
    }

    @Test
    void withoutASkewAllKeysOfAPartitionAreAsFrequent() {
        int[] counts = counted(0, 4, 10, 0);  // keys 0, 4, 8
        for (int key = 0; key < counts.length; key++) {
            assertTrue(key % 4 == 0 ? Math.abs(counts[key] - RECORDS / 3) < RECORDS / 100 : counts[key] == 0);
        }
    }

    @Test
    void aPartitionMayHaveOneKey() {
        assertEquals(RECORDS, counted(2, 3, 3, 2.5)[2]);
    }
}
