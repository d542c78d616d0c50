package insync.agent.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.Adapter;
import insync.agent.v4_2.BrokerAdapter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.Test;

/** A build whose methods have other instructions than the builds that the tests run is noticed. */
class KnownMethodsTest {
    private static final String PARTITION = "kafka.cluster.Partition";
    private final Adapter adapter = new BrokerAdapter();
    private final ClassFileLocator broker = ClassFileLocator.ForClassLoader.ofSystemLoader();

    @Test
    void theMethodsOfATestedVersionAreKnown() throws Exception {
        assertEquals(List.of(), KnownMethods.unknown(adapter.allHooks()));
    }

    @Test
    void aMethodWithOtherInstructionsIsNamedAndOthersAreNot() throws Exception {
        TypeDescription partition = TypePool.Default.WithLazyResolution.of(broker).describe(PARTITION).resolve();
        byte[] changed = new ByteBuddy().with(TypeValidation.DISABLED)
            .with(MethodGraph.Compiler.ForDeclaredMethods.INSTANCE).redefine(partition, broker)
            .visit(Advice.to(WeaverTest.Counted.class).on(ElementMatchers.named("makeFollower"))).make().getBytes();
        List<String> unknown = KnownMethods.unknown(adapter.allHooks(), new ClassFileLocator.Compound(
            new ClassFileLocator.Simple(Map.of(PARTITION, changed)), broker));
        assertEquals(1, unknown.size(), unknown.toString());
        assertTrue(unknown.get(0).startsWith(PARTITION + ".makeFollower("), unknown.toString());
    }

    /** Two methods with different instructions. */
    static final class Two {
        int first(int of) {
            return of > 0 ? of * 3 : -of;
        }

        int second(int of) {
            return of > 0 ? of * 4 : -of;
        }
    }

    @Test
    void onlyInstructionsCount() {
        byte[] with = ClassFileLocator.ForClassLoader.read(Two.class);
        ClassWriter without = new ClassWriter(0);
        new ClassReader(with).accept(without, ClassReader.SKIP_DEBUG);
        Set<String> both = Set.of("first(I)I", "second(I)I");
        Map<String, String> found = MethodDigests.of(with, both);
        assertEquals(found, MethodDigests.of(without.toByteArray(), both), "without line numbers and names of variables");
        assertNotEquals(found.get("first(I)I"), found.get("second(I)I"));
        assertEquals(16, found.get("first(I)I").length());
        assertEquals(Set.of("first(I)I"), MethodDigests.of(with, Set.of("first(I)I")).keySet());
    }
}
