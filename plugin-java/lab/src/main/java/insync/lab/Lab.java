package insync.lab;

import insync.agent.AgentException;
import insync.agent.Extension;
import insync.agent.Features;
import insync.agent.broker.Brokers;
import insync.agent.weave.TypeHooks;
import insync.bridge.BridgeServer;
import insync.bridge.BrokerView;
import insync.core.Insync;
import insync.core.events.EventLog;
import insync.lab.cache.WovenCache;
import insync.lab.events.EventFileLog;
import insync.lab.events.EventsTopic;
import insync.lab.events.EventsTopicConfigs;
import insync.lab.events.PartitionEvents;
import insync.lab.lagpolicy.LagPolicy;
import insync.lab.lagpolicy.LagPolicyConfig;
import insync.lab.pausepoints.PausePointHooks;
import insync.lab.relinquish.ReadErrorHooks;
import insync.lab.relinquish.RelinquishOnlyConfig;
import insync.lab.view.LeaderView;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import kafka.server.KafkaConfig;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Adds to the agent what tests and experiments need, and a broker in production does not. */
public final class Lab extends Extension {
    /** Before it no step-down, and no lag by messages. */
    private static final List<String> ZOOKEEPER = List.of("v1_1", "v2_8");

    final LabOptions options = new LabOptions();
    private final AtomicBoolean bridgeOpen = new AtomicBoolean();

    @Override
    public boolean set(String key, String value) throws AgentException {
        return options.set(key, value);
    }

    @Override
    public String options() {
        return LabOptions.ALL;
    }

    @Override
    public EventLog events() throws AgentException {
        if (options.eventsFile == null) {
            return EventFileLog.withoutFile();
        }
        try {
            return EventFileLog.to(options.eventsFile, options.eventsMaxBytes, options.eventsFiles);
        } catch (IOException unwritable) {
            throw new AgentException("agent option events=" + options.eventsFile
                + ": cannot write, expected a file in a writable folder (" + unwritable + ")");
        }
    }

    @Override
    public List<TypeHooks> types(String adapter) {
        List<TypeHooks> all = new ArrayList<>();
        if (options.pausePoints) {
            all.addAll(PausePointHooks.of(adapter));
        }
        if (!ZOOKEEPER.contains(adapter)) {
            all.add(new LagPolicy());
            all.add(new ReadErrorHooks());
        }
        if (!adapter.equals("v1_1")) {
            all.add(new PartitionEvents(adapter.equals("v2_8")));
        }
        return all;
    }

    @Override
    public List<Class<?>> unused(String adapter) {
        List<Class<?>> unused = new ArrayList<>();
        if (ZOOKEEPER.contains(adapter)) {
            unused.addAll(List.of(LagPolicy.class, ReadErrorHooks.class));
        }
        if (adapter.equals("v1_1")) {
            unused.addAll(List.of(LeaderView.class, PartitionEvents.class));
        }
        return unused;
    }

    @Override
    public Store store(String facts) {
        Path folder = options.cacheFolder;
        try {
            return folder == null ? null : WovenCache.in(folder, List.of(jar(Extension.class), jar(Lab.class)),
                facts + ", pause points " + options.pausePoints);
        } catch (IOException | URISyntaxException | RuntimeException unreadable) {
            System.err.println("[insync] cache " + folder + " is not used: " + unreadable);
            return null;
        }
    }

    private static Path jar(Class<?> inside) throws URISyntaxException {
        return Paths.get(inside.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Override
    public void define(ConfigDef definition) {
        Features features = Features.current();
        RelinquishOnlyConfig.define(definition, features.supportsStepDown());
        LagPolicyConfig.define(definition, features.supportsLagByMessages());
        EventsTopicConfigs.define(definition);
        options.defaults.forEach((name, value) -> redefine(definition, name, value));
    }

    static void redefine(ConfigDef definition, String name, String value) {
        ConfigDef.ConfigKey key = definition.configKeys().remove(name);
        if (key == null) {
            throw new ConfigException(LabOptions.DEFAULT + name, value, "expected the name of a config of the agent");
        }
        definition.define(name, key.type, value, key.validator, key.importance, key.documentation);
    }

    @Override
    public void check(KafkaConfig config) {
        RelinquishOnlyConfig.check(config);
        LagPolicyConfig.check(config);
        EventsTopicConfigs.check(config);
    }

    @Override
    public void starting(KafkaConfig config, Insync insync) {
        if (insync.events instanceof EventFileLog) {
            EventsTopic.started(config, (EventFileLog) insync.events);
        }
    }

    /** Opens one bridge per JVM, on a separate thread so that the broker's start does not wait for it. */
    @Override
    public void started(ReplicaManager replicas, KafkaConfig config, Insync insync) {
        if (options.pausePoints && !PausePointHooks.of(Features.current().adapter).isEmpty()) {
            PausePointHooks.POINTS.open();
        }
        Path file = options.bridgeFile;
        if (file != null && bridgeOpen.compareAndSet(false, true)) {
            BrokerView view = Brokers.access() == null ? OfVersion.of11().view(replicas, config) : new LeaderView(replicas, config);
            BridgeServer.startInBackground(view, insync, PausePointHooks.POINTS, file);
        }
    }

    @Override
    public void configured(KafkaConfig config) {
        if (Features.current().supportsLagByMessages()) {
            LagPolicy.set(config);
        }
    }

    @Override
    public boolean relinquishesOnly(KafkaConfig config) {
        return RelinquishOnlyConfig.isOn(config);
    }
}
