package insync.agent;

import insync.agent.weave.TypeHooks;
import insync.agent.weave.WovenBroker;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.util.List;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.apache.kafka.common.config.ConfigDef;

/** What another jar adds to the agent, named by the agent's option {@code lab}. This class adds nothing. */
public class Extension {
    private static volatile Extension current = new Extension();

    public static Extension current() {
        return current;
    }

    /** Returns whether this adds nothing. */
    public final boolean isNone() {
        return getClass() == Extension.class;
    }

    /** Sets the extension; called once, before weaving. */
    public static void install(Extension extension) {
        current = extension;
    }

    /**
     * Takes an option of the agent.
     *
     * @return whether it is one of the extension's
     * @throws AgentException naming the option, its value and what was expected
     */
    public boolean set(String key, String value) throws AgentException {
        return false;
    }

    /** Returns the extension's options as text, for the user. */
    public String options() {
        return "";
    }

    /** Opens where events go; called once, when all options are set. */
    public EventLog events() throws AgentException {
        return new EventLog();
    }

    /** Returns the extension's hooks for an adapter's versions. */
    public List<TypeHooks> types(String adapter) {
        return List.of();
    }

    /** Returns the extension's classes that an adapter's versions never run; see {@link Adapter#unused()}. */
    public List<Class<?>> unused(String adapter) {
        return List.of();
    }

    /** Returns the store of woven classes that depend on these facts, or null without one. */
    public Store store(String facts) {
        return null;
    }

    /** Adds configs to the broker's definition of its configs. */
    public void define(ConfigDef definition) { }

    /** Checks these configs; throws ConfigException with the config, its value and what was expected. */
    public void check(KafkaConfig config) { }

    /** Called when a broker's ReplicaManager is constructed, before the agent's parts start. */
    public void starting(KafkaConfig config, Insync insync) { }

    /** Called when the agent's parts of a broker have started. */
    public void started(ReplicaManager replicas, KafkaConfig config, Insync insync) { }

    /** Called with a broker's configs at its start, and after an update of them. */
    public void configured(KafkaConfig config) { }

    /** Returns whether a broker steps down without solution 1 of KIP-501. */
    public boolean relinquishesOnly(KafkaConfig config) {
        return false;
    }

    /** Keeps the woven classes of a broker for the next start. */
    public interface Store {

        /** Returns these class files, and records what is read of them from now on: on that the woven classes depend. */
        ClassFileLocator recorded(ClassFileLocator files);

        /** Returns what an earlier start saved; null if there is nothing that fits this start. */
        WovenBroker load();

        /** Replaces what is saved; returns whether it did. */
        boolean save(WovenBroker woven);
    }
}
