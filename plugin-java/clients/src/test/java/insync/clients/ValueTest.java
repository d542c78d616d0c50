package insync.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A value says where its record belongs; tests/unit/workload/test_value.py expects the same bytes. */
class ValueTest {
    private static final Random RANDOM = new Random(7);

    @Test
    void theBytesAreThoseOfTheOtherClients() {
        StringBuilder hex = new StringBuilder();
        for (byte each : Value.of("kip-501-r0", 2, 258, RANDOM, 20)) {
            hex.append(String.format("%02x", each));
        }
        assertEquals("a6ea3aa78e3326f5000000020000000000000102", hex.toString());
    }

    @Test
    void whatWasWrittenIsRead() {
        for (int size : new int[] {0, 19, 20, 21, 300}) {
            byte[] value = Value.of("t", 3, 1L << 40, RANDOM, size);
            assertEquals(Math.max(size, Value.HEADER_BYTES), value.length);
            Value.Read said = Value.read(value, "t", 3);
            assertEquals(1L << 40, said.seq);
            assertNull(said.wrong);
        }
    }

    @Test
    void everyChangedBitAndEveryCutShows() {
        byte[] value = Value.of("t", 3, 9, RANDOM, 40);
        for (int bit = 0; bit < value.length * 8; bit++) {
            byte[] changed = value.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertNotNull(Value.read(changed, "t", 3).wrong);
        }
        for (int length = 0; length < value.length; length++) {
            Value.Read said = Value.read(Arrays.copyOf(value, length), "t", 3);
            assertNotNull(said.wrong);
            assertEquals(-1, said.seq);
        }
        assertEquals("no value", Value.read(null, "t", 3).wrong);
    }

    @Test
    void aRecordOfAnotherTopicOrPartitionIsNamed() {
        byte[] value = Value.of("t", 3, 9, RANDOM, 32);
        assertEquals("record 9 of another topic", Value.read(value, "u", 3).wrong);
        assertEquals("record 9 of partition 3", Value.read(value, "t", 4).wrong);
    }
}
