package insync.agent.weave;

import insync.agent.AgentException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** Holds all woven classes of a broker, what the checks concluded, and the class files on which that depends. */
public final class WovenBroker {
    private final List<String> methods;
    private final List<String> unknown;
    private final Map<String, Long> dependsOn;
    private final Map<String, byte[]> originals;
    private final Map<String, byte[]> woven;

    /**
     * @param methods the names of the woven methods, as in events
     * @param unknown those that no known build has
     * @param dependsOn the digests of the class files that the checks and the weaving read, by class name
     * @param originals the class files of which {@code woven} were made, by class name
     * @param woven the woven class files, by class name
     */
    WovenBroker(List<String> methods, List<String> unknown, Map<String, Long> dependsOn, Map<String, byte[]> originals,
                Map<String, byte[]> woven) {
        this.methods = methods;
        this.unknown = unknown;
        this.dependsOn = dependsOn;
        this.originals = originals;
        this.woven = woven;
    }

    public List<String> methods() {
        return methods;
    }

    /** Returns the woven methods that no known build has. */
    public List<String> unknown() {
        return unknown;
    }

    /**
     * Gives the JVM the woven classes. One whose class file another agent has changed is woven as without a cache, which loads ByteBuddy.
     *
     * @param weaver weaves the class of a name from its present class file
     * @return the reasons why the broker is as it was, as text; empty if everything is woven
     * @throws AgentException if some classes are woven and others are not
     */
    public List<String> install(BiFunction<String, byte[], byte[]> weaver, Instrumentation instrumentation) throws AgentException {
        return new WovenClasses(woven, originals, weaver).install(instrumentation);
    }

    /** Returns whether the class path still has each class file that the checks and the weaving read. */
    public boolean fitsClassPath() throws IOException {
        for (Map.Entry<String, Long> each : dependsOn.entrySet()) {
            if (ClassDigests.onClassPath(each.getKey()) != each.getValue()) {
                return false;
            }
        }
        return true;
    }

    /** Writes what {@link #of} reads. */
    public void write(DataOutputStream out) throws IOException {
        write(methods, out);
        write(unknown, out);
        out.writeInt(dependsOn.size());
        for (Map.Entry<String, Long> each : dependsOn.entrySet()) {
            out.writeUTF(each.getKey());
            out.writeLong(each.getValue());
        }
        out.writeInt(woven.size());
        for (Map.Entry<String, byte[]> each : woven.entrySet()) {
            out.writeUTF(each.getKey());
            write(originals.get(each.getKey()), out);
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

    /** Reads what {@link #write(DataOutputStream)} wrote; the caller has verified that the bytes are complete. */
    public static WovenBroker of(DataInputStream in) throws IOException {
        List<String> methods = names(in);
        List<String> unknown = names(in);
        Map<String, Long> dependsOn = new LinkedHashMap<>();
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
        return new WovenBroker(methods, unknown, dependsOn, originals, woven);
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
}
