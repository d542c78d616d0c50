package insync.agent.weave;

import insync.agent.AgentException;
import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** Holds all woven classes of a broker, what the checks concluded, and the class files on which that depends. */
public final class WovenBroker {
    public final List<String> methods;
    /** The woven methods that no known build has. */
    public final List<String> unknown;
    /** The digests of the class files that the checks and the weaving read, by class name. */
    public final Map<String, Long> dependsOn;
    /** The class files of which the woven ones were made, by class name. */
    public final Map<String, byte[]> originals;
    /** The woven class files, by class name. */
    public final Map<String, byte[]> woven;

    /**
     * @param methods the names of the woven methods, as in events
     * @param unknown those that no known build has
     * @param dependsOn the digests of the class files that the checks and the weaving read, by class name
     * @param originals the class files of which {@code woven} were made, by class name
     * @param woven the woven class files, by class name
     */
    public WovenBroker(List<String> methods, List<String> unknown, Map<String, Long> dependsOn, Map<String, byte[]> originals,
                       Map<String, byte[]> woven) {
        this.methods = methods;
        this.unknown = unknown;
        this.dependsOn = dependsOn;
        this.originals = originals;
        this.woven = woven;
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
}
