package insync.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import insync.agent.weave.Hook;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import net.bytebuddy.description.ByteCodeElement;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.Test;

/** Advices are copied into Kafka's classes, so they may use only our public members; the compiler does not check. */
public class AdviceAccessTest {
    private final ClassFileLocator locator = ClassFileLocator.ForClassLoader.ofSystemLoader();
    private final TypePool pool = TypePool.Default.of(locator);
    private final TreeSet<String> hidden = new TreeSet<>();

    @Test
    void advicesUseOnlyOurPublicMembers() throws Exception {
        for (String name : new Adapters().names()) {
            for (Hook hook : hooks(name)) {
                read(hook.advice.getName());
            }
        }
        assertEquals(new TreeSet<String>(), hidden);
    }

    protected List<Hook> hooks(String adapter) {
        return Adapters.load(adapter).allHooks();
    }

    private void read(String advice) throws IOException {
        new ClassReader(locator.locate(advice).resolve()).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] thrown) {
                return new Uses(advice);
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    private final class Uses extends MethodVisitor {
        private final String advice;

        Uses(String advice) {
            super(Opcodes.ASM9);
            this.advice = advice;
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String type, boolean isInterface) {
            if (owner.startsWith("insync/")) {
                TypeDescription declaring = pool.describe(owner.replace('/', '.')).resolve();
                check(declaring, declaring.getDeclaredMethods().stream()
                    .filter(each -> each.getInternalName().equals(name) && each.getDescriptor().equals(type))
                    .findFirst().orElse(null), name);
            }
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (type.startsWith("insync/")) {
                check(pool.describe(type.replace('/', '.')).resolve(), null, "");
            }
        }

        private void check(TypeDescription owner, ByteCodeElement.TypeDependant<?, ?> member, String name) {
            boolean visible = owner.isPublic() && (member == null || ((ByteCodeElement) member).isVisibleTo(
                TypeDescription.ForLoadedType.of(Object.class)));
            if (!visible) {
                hidden.add(owner.getName() + "." + name + " in " + advice);
            }
        }
    }
}
