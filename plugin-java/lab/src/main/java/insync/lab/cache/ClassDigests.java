package insync.lab.cache;

import java.util.zip.CRC32;

/**
 * Computes a digest of a class file: its CRC-32 and its size. A jar's directory has both, so that a class file in a jar need not be
 * read. The digest finds a class file that has changed; it does not protect from someone who writes to Kafka's jars.
 */
public final class ClassDigests {
    /** The digest of a class that is not on the class path. */
    public static final long ABSENT = -1;
    private static final int CRC_BITS = 32;

    private ClassDigests() { }

    /** Returns whether a class is of the JVM's version or of the agent's jar, which have digests of their own. */
    static boolean isOfJvmOrAgent(String name) {
        return name.startsWith("java.") || name.startsWith("javax.") || name.startsWith("jdk.") || name.startsWith("insync.");
    }

    public static long of(byte[] classFile) {
        CRC32 crc = new CRC32();
        crc.update(classFile);
        return of(crc.getValue(), classFile.length);
    }

    /** Returns the digest of a class file with this CRC-32 and size. */
    public static long of(long crc, long size) {
        return size << CRC_BITS | crc;
    }
}
