package insync.broker;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import kafka.server.KafkaApis;
import org.apache.kafka.common.network.ListenerName;
import org.junit.jupiter.api.Assumptions;
import org.mockito.Answers;
import org.mockito.Mockito;

/** Asks Kafka's KafkaApis which leader its answer with NOT_LEADER_OR_FOLLOWER names (KIP-951). */
final class NamedLeader {

    private NamedLeader() { }

    /** Returns the leader's id; empty if the answer names none. Skips the test in versions without KIP-951. */
    static Optional<Integer> of(Leader leader) throws ReflectiveOperationException {
        Optional<Method> asks = Arrays.stream(KafkaApis.class.getDeclaredMethods())
            .filter(each -> each.getName().equals("getCurrentLeader")).findFirst();
        Assumptions.assumeTrue(asks.isPresent(), "answers name no leader");
        KafkaApis apis = Mockito.mock(KafkaApis.class, Answers.CALLS_REAL_METHODS);
        set(apis, "brokerId", Leader.LEADER);
        set(apis, "replicaManager", leader.replicas());
        set(apis, "metadataCache", Mockito.mock(KafkaApis.class.getDeclaredField("metadataCache").getType(),
            Answers.RETURNS_SMART_NULLS));
        asks.get().setAccessible(true);
        Object named = asks.get().invoke(apis, Leader.EVENTS_0, new ListenerName("PLAINTEXT"));
        int id = (int) named.getClass().getMethod("leaderId").invoke(named);
        return id < 0 ? Optional.empty() : Optional.of(id);
    }

    private static void set(KafkaApis apis, String name, Object value) throws ReflectiveOperationException {
        Field field = KafkaApis.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(apis, value);
    }
}
