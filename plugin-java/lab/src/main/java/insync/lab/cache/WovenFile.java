package insync.lab.cache;

import insync.agent.weave.WovenBroker;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.zip.CRC32;

/** Writes and reads all woven classes of a broker, and says whether they still fit. */
public final class WovenFile {
    /** The digest of a class that is not on the class path. */
    public static final long ABSENT = -1;
    private static final int CRC_BITS = 32;

    private WovenFile() { }

    /**
     * Returns a digest of a class file: its CRC-32 and its size. A jar's directory has both, so that a class file in a jar need not be
     * read. The digest finds a class file that has changed; it does not protect from someone who writes to Kafka's jars.
     */
    public static long digest(byte[] classFile) {
        CRC32 crc = new CRC32();
        crc.update(classFile);
        return digest(crc.getValue(), classFile.length);
    }

    private static long digest(long crc, long size) {
        return size << CRC_BITS | crc;
    }

    /** Returns whether the class path still has each class file that the checks and the weaving read. */
    static boolean fitsClassPath(Map<String, Long> dependsOn) throws IOException {
        for (Map.Entry<String, Long> each : dependsOn.entrySet()) {
            if (onClassPath(each.getKey()) != each.getValue()) {
                return false;
            }
        }
        return true;
    }

    /** Writes what {@link #of} reads. */
    static void write(WovenBroker woven, Map<String, Long> dependsOn, DataOutputStream out) throws IOException {
        write(woven.methods, out);
        write(woven.unknown, out);
        out.writeInt(dependsOn.size());
        for (Map.Entry<String, Long> each : dependsOn.entrySet()) {
            out.writeUTF(each.getKey());
            out.writeLong(each.getValue());
        }
        out.writeInt(woven.woven.size());
        for (Map.Entry<String, byte[]> each : woven.woven.entrySet()) {
            out.writeUTF(each.getKey());
            write(woven.originals.get(each.getKey()), out);
            write(each.getValue(), out);
        }
    }

    private static void write(List<String> names, DataOutputStream out) throws IOException {
        out.writeInt(names.size());
        for (String name : names) {
            out.writeUTF(name);
        }
    }

    private static void write(byte[] classFile, DataOutputStream out) throws IOException {
        out.writeInt(classFile.length);
        out.write(classFile);
    }

    /**
     * Reads what {@link #write(WovenBroker, Map, DataOutputStream)} wrote; the caller has verified that the bytes are complete.
     *
     * @param dependsOn receives the digests of the class files that were read, by class name
     */
    static WovenBroker of(DataInputStream in, Map<String, Long> dependsOn) throws IOException {
        List<String> methods = names(in);
        List<String> unknown = names(in);
        for (int left = in.readInt(); left > 0; left--) {
            dependsOn.put(in.readUTF(), in.readLong());
        }
        Map<String, byte[]> originals = new LinkedHashMap<>();
        Map<String, byte[]> woven = new LinkedHashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            String name = in.readUTF();
            originals.put(name, classFile(in));
            woven.put(name, classFile(in));
        }
        return new WovenBroker(methods, unknown, originals, woven);
    }

    private static List<String> names(DataInputStream in) throws IOException {
        List<String> names = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            names.add(in.readUTF());
        }
        return names;
    }

    private static byte[] classFile(DataInputStream in) throws IOException {
        return in.readNBytes(in.readInt());
    }

    /** Returns the digest of the class file on the class path. */
    public static long onClassPath(String name) throws IOException {
        URL url = ClassLoader.getSystemResource(name.replace('.', '/') + ".class");
        if (url == null) {
            return ABSENT;
        }
        URLConnection opened = url.openConnection();
        if (opened instanceof JarURLConnection) {
            JarEntry entry = ((JarURLConnection) opened).getJarEntry();
            if (entry.getCrc() >= 0 && entry.getSize() >= 0) {
                return digest(entry.getCrc(), entry.getSize());
            }
        }
        return digest(opened.getInputStream().readAllBytes());
    }
}
