package insync.agent.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.Adapter;
import insync.agent.v4_2.BrokerAdapter;
import java.util.List;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.Test;

/** The weave check on the real broker's class files, unchanged and with one of them changed. */
class SymbolCheckTest {
    private static final String REPLICA = "org.apache.kafka.server.replica.Replica";
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

    private List<String> missing(ClassFileLocator locator) {
        return new SymbolCheck(TypePool.Default.WithLazyResolution.of(locator), locator).missing(adapter);
    }
}
