package insync.logs;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Gives access to the record classes of the Kafka on the class path.
 *
 * <p>They are looked up by name: up to 4.2 they are in {@code org.apache.kafka.common.record}, after that in its
 * package {@code internal}. The methods used here are the same from 1.1 on.
 */
final class KafkaRecords {
    private static final String[] PACKAGES = {
        "org.apache.kafka.common.record.internal.", "org.apache.kafka.common.record."};
    private static final String[] OF_BATCH = {
        "baseOffset", "lastOffset", "partitionLeaderEpoch", "producerId", "producerEpoch", "baseSequence",
        "checksum", "sizeInBytes", "isTransactional", "isControlBatch", "isValid"};

    private final Class<?> files;
    private final MethodHandle key;
    private final MethodHandle value;
    private final MethodHandle timestamp;
    private final MethodHandle controlType;
    private final Map<String, MethodHandle> ofBatch = new HashMap<>();

    KafkaRecords() throws ReflectiveOperationException {
        String home = home();
        files = Class.forName(home + "FileRecords");
        Class<?> batch = Class.forName(home + "RecordBatch");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        Class<?> record = Class.forName(home + "Record");
        key = lookup.unreflect(record.getMethod("key"));
        value = lookup.unreflect(record.getMethod("value"));
        timestamp = lookup.unreflect(record.getMethod("timestamp"));
        controlType = lookup.unreflect(Class.forName(home + "ControlRecordType").getMethod("parse", ByteBuffer.class));
        for (String name : OF_BATCH) {
            ofBatch.put(name, lookup.unreflect(batch.getMethod(name)));
        }
    }

    private static String home() throws ClassNotFoundException {
        for (String home : PACKAGES) {
            try {
                Class.forName(home + "FileRecords");
                return home;
            } catch (ClassNotFoundException absent) {
                // Tries the next package.
            }
        }
        throw new ClassNotFoundException("Kafka's FileRecords is in none of the known packages");
    }

    /** Opens a segment to read it, also while a broker writes to it. */
    Segment open(File file) throws IOException {
        try {
            return new Segment(files.getMethod("open", File.class, boolean.class).invoke(null, file, false));
        } catch (java.lang.reflect.InvocationTargetException failed) {
            throw new IOException(failed.getCause());
        } catch (ReflectiveOperationException absent) {
            throw new IllegalStateException(absent);
        }
    }

    /** An open segment. */
    final class Segment implements AutoCloseable {
        private final Object records;

        Segment(Object records) {
            this.records = records;
        }

        /**
         * Returns the complete batches in the order of the file. At a broken batch the iterator throws Kafka's own
         * exceptions.
         */
        Iterable<?> batches() {
            return (Iterable<?>) call("batches");
        }

        int sizeInBytes() {
            return (Integer) call("sizeInBytes");
        }

        /**
         * Closes the file only, by methods that all versions have: {@code closeHandlers} is gone in 4.4, and {@code
         * close} trims.
         */
        @Override public void close() throws IOException {
            ((Closeable) call("channel")).close();
        }

        private Object call(String name) {
            try {
                return files.getMethod(name).invoke(records);
            } catch (ReflectiveOperationException failed) {
                throw new IllegalStateException(failed);
            }
        }
    }

    /** A batch: the fields of its header, by the names of Kafka's {@code RecordBatch}, and its records. */
    final class Batch {
        private final Object batch;

        Batch(Object batch) {
            this.batch = batch;
        }

        Object get(String getter) {
            return invoke(ofBatch.get(getter), batch);
        }

        /** "commit" or "abort" for the end of a transaction, another type's name, or null for a batch of records. */
        String control() {
            if (!(Boolean) get("isControlBatch")) {
                return null;
            }
            Object first = ((Iterable<?>) batch).iterator().next();
            return invoke(controlType, invoke(key, first)).toString().toLowerCase(Locale.ROOT);
        }

        /** Passes its records to {@code reader}, in order. */
        void read(RecordReader reader) throws IOException {
            for (Object record : (Iterable<?>) batch) {
                reader.read((Long) invoke(timestamp, record), (ByteBuffer) invoke(value, record));
            }
        }
    }

    /** Receives each record of a batch. */
    interface RecordReader {
        void read(long timeMs, ByteBuffer value) throws IOException;
    }

    private static Object invoke(MethodHandle method, Object argument) {
        try {
            return method.invoke(argument);
        } catch (RuntimeException | Error failed) {
            throw failed;
        } catch (Throwable failed) {
            throw new IllegalStateException(failed);
        }
    }
}
