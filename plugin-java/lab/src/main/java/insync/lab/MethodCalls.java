package insync.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** Lists the methods that each method of a class calls, and the fields that it writes, in order: what a reader sees of a change. */
final class MethodCalls extends ClassVisitor {
    private final Set<String> methods;
    private final Map<String, List<String>> byMethod = new TreeMap<>();

    private MethodCalls(Set<String> methods) {
        super(Opcodes.ASM9);
        this.methods = methods;
    }

    /**
     * Returns the calls as "Class.method(descriptor)" and the writes as "Class.field=", by the calling method's name and descriptor.
     *
     * @param methods the methods to read
     */
    static Map<String, List<String>> of(byte[] classFile, Set<String> methods) {
        MethodCalls found = new MethodCalls(methods);
        new ClassReader(classFile).accept(found, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return found.byMethod;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        if (!methods.contains(name + descriptor)) {
            return null;
        }
        List<String> calls = byMethod.computeIfAbsent(name + descriptor, method -> new ArrayList<>());
        return new MethodVisitor(Opcodes.ASM9) {
            @Override
            public void visitMethodInsn(int opcode, String owner, String called, String type, boolean isInterface) {
                calls.add(owner.replace('/', '.') + "." + called + type);
            }

            @Override
            public void visitFieldInsn(int opcode, String owner, String field, String type) {
                if (opcode == Opcodes.PUTFIELD || opcode == Opcodes.PUTSTATIC) {
                    calls.add(owner.replace('/', '.') + "." + field + "=");
                }
            }

            @Override
            public void visitInvokeDynamicInsn(String called, String type, Handle bootstrap, Object... arguments) {
                for (Object argument : arguments) {
                    if (argument instanceof Handle) {
                        Handle handle = (Handle) argument;
                        calls.add(handle.getOwner().replace('/', '.') + "." + handle.getName() + handle.getDesc());
                    }
                }
            }
        };
    }
}
