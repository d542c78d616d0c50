package insync.agent.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.Adapter;
import insync.agent.v4_2.BrokerAdapter;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import kafka.cluster.Partition;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.Test;

/** The weave check on the real broker's class files, unchanged and with one of them changed. */
class SymbolCheckTest {
    private static final String REPLICA = "org.apache.kafka.server.replica.Replica";
    private static final String CHANNEL = "org.apache.kafka.common.network.KafkaChannel";
    private final Adapter adapter = new BrokerAdapter();
    private final ClassFileLocator broker = ClassFileLocator.ForClassLoader.ofSystemLoader();

    @Test
    void theSupportedBrokerLacksNothing() {
        assertEquals(List.of(), missing(broker));
    }

    @Test
    void missingMembersAreNamed() {
        byte[] empty = new ByteBuddy().subclass(Object.class).name(REPLICA).make().getBytes();
        List<String> missing = missing(new ClassFileLocator.Compound(
            new ClassFileLocator.Simple(Map.of(REPLICA, empty)), broker));
        assertTrue(missing.contains("missing method " + REPLICA
            + ".stateSnapshot()Lorg/apache/kafka/server/replica/ReplicaState;"), missing.toString());
        assertTrue(missing.stream().allMatch(one -> one.contains(REPLICA)), missing.toString());
    }

    /** Only a class that only another class creates, which an advice reaches through an interface, uses this method. */
    @Test
    void whatTheAdvicesReachIsChecked() {
        byte[] empty = new ByteBuddy().subclass(Object.class).name(CHANNEL).make().getBytes();
        List<String> missing = missing(new ClassFileLocator.Compound(
            new ClassFileLocator.Simple(Map.of(CHANNEL, empty)), broker));
        assertTrue(missing.contains("missing method " + CHANNEL + ".id()Ljava/lang/String;"), missing.toString());
    }

    /** An own class of these tests that refers to the broker in the ways that a compiler has for it. */
    static final class Refers {
        static Supplier<Object> byMethodReference(Partition partition) {
            return partition::topic;
        }

        static Class<?> byClassConstant() {
            return Partition.class;
        }
    }

    @Test
    void methodReferencesAndClassConstantsAreSymbols() {
        SymbolCollector used = new SymbolCollector();
        used.read(ClassFileLocator.ForClassLoader.read(Refers.class));
        List<String> names = used.symbols.stream().map(SymbolCollector.Symbol::toString).collect(Collectors.toList());
        assertTrue(names.contains("method kafka.cluster.Partition.topic()Ljava/lang/String;"), names.toString());
        assertTrue(names.contains("class kafka.cluster.Partition"), names.toString());
    }

    @Test
    void aNewAbstractMethodOfATypeThatWeImplementIsNamed() {
        String type = "scala.Function1";
        byte[] grown = new ByteBuddy().redefine(scala.Function1.class)
            .defineMethod("since5", int.class, Visibility.PUBLIC).withoutCode().make().getBytes();
        List<String> missing = missing(new ClassFileLocator.Compound(
            new ClassFileLocator.Simple(Map.of(type, grown)), broker));
        assertTrue(missing.contains("insync.agent.isr.PendingFetch lacks scala.Function1.since5()I"), missing.toString());
    }

    private List<String> missing(ClassFileLocator locator) {
        return new SymbolCheck(TypePool.Default.WithLazyResolution.of(locator), locator).missing(adapter);
    }
}
