package insync.clients;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32;

/** Writes and reads a record's value; insync/workload/value.py has the layout. */
final class Value {
    static final int HEADER_BYTES = 20;
    private static final int CHECKSUM_BYTES = 4;
    private static final long UNREADABLE = -1;

    /** What a value says: its sequence number, and what is wrong with it; null if it is intact. */
    static final class Read {
        final long seq;
        final String wrong;

        private Read(long seq, String wrong) {
            this.seq = seq;
            this.wrong = wrong;
        }
    }

    private Value() { }

    /** Returns a record's value, of {@code size} bytes, or of HEADER_BYTES if that is more. */
    static byte[] of(String topic, int partition, long seq, Random random, int size) {
        byte[] filler = new byte[Math.max(0, size - HEADER_BYTES)];
        random.nextBytes(filler);
        ByteBuffer value = ByteBuffer.allocate(HEADER_BYTES + filler.length);
        value.putInt(0).putInt(crc(topic)).putInt(partition).putLong(seq).put(filler);
        return value.putInt(0, body(value.array())).array();
    }

    /** Returns what the value of a record of this topic and partition says. */
    static Read read(byte[] found, String topic, int partition) {
        if (found == null) {
            return new Read(UNREADABLE, "no value");
        }
        if (found.length < HEADER_BYTES) {
            return new Read(UNREADABLE, found.length + " bytes, expected at least " + HEADER_BYTES);
        }
        ByteBuffer value = ByteBuffer.wrap(found);
        int written = value.getInt();
        if (written != body(found)) {
            return new Read(UNREADABLE, String.format("checksum %08x, expected %08x", body(found), written));
        }
        int ofTopic = value.getInt();
        long ofPartition = Integer.toUnsignedLong(value.getInt());
        long seq = value.getLong();
        if (ofTopic != crc(topic)) {
            return new Read(UNREADABLE, "record " + Long.toUnsignedString(seq) + " of another topic");
        }
        if (ofPartition != partition) {
            return new Read(UNREADABLE, "record " + Long.toUnsignedString(seq) + " of partition " + ofPartition);
        }
        return new Read(seq, null);
    }

    private static int crc(String topic) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        return crc(name, 0);
    }

    private static int body(byte[] value) {
        return crc(value, CHECKSUM_BYTES);
    }

    private static int crc(byte[] bytes, int from) {
        CRC32 crc = new CRC32();
        crc.update(bytes, from, bytes.length - from);
        return (int) crc.getValue();
    }
}
