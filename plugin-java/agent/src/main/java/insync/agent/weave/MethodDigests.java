package insync.agent.weave;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Computes a digest of the instructions of each method of a class. Line numbers, names of variables, stack maps and the order of
 * constants do not count, so that two builds of the same source have the same digests.
 */
final class MethodDigests extends ClassVisitor {
    private static final int SHOWN = 8;

    private final Set<String> methods;
    private final Map<String, String> byMethod = new TreeMap<>();

    private MethodDigests(Set<String> methods) {
        super(Opcodes.ASM9);
        this.methods = methods;
    }

    /**
     * Returns the digests, 16 hexadecimal digits each, by the method's name and descriptor.
     *
     * @param methods the methods to read; a class of the broker has hundreds of others
     */
    static Map<String, String> of(byte[] classFile, Set<String> methods) {
        MethodDigests found = new MethodDigests(methods);
        new ClassReader(classFile).accept(found, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return found.byMethod;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        return methods.contains(name + descriptor) ? new Instructions(name + descriptor) : null;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJvmHasIt) {
            throw new IllegalStateException(everyJvmHasIt);
        }
    }

    private final class Instructions extends MethodVisitor {
        private final String method;
        private final MessageDigest digest = sha256();
        private final Map<Label, Integer> labels = new IdentityHashMap<>();

        Instructions(String method) {
            super(Opcodes.ASM9);
            this.method = method;
        }

        private void add(Object... parts) {
            StringBuilder line = new StringBuilder();
            for (Object part : parts) {
                line.append(part instanceof Label ? labels.computeIfAbsent((Label) part, label -> labels.size()) : part)
                    .append('\0');
            }
            digest.update(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        }

        private Object[] numbered(Label... targets) {
            Object[] numbers = new Object[targets.length];
            for (int i = 0; i < targets.length; i++) {
                numbers[i] = labels.computeIfAbsent(targets[i], label -> labels.size());
            }
            return numbers;
        }

        @Override
        public void visitInsn(int opcode) {
            add(opcode);
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            add(opcode, operand);
        }

        @Override
        public void visitVarInsn(int opcode, int variable) {
            add(opcode, variable);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            add(opcode, type);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            add(opcode, owner, name, descriptor);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            add(opcode, owner, name, descriptor, isInterface);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            add("indy", name, descriptor, bootstrap);
            add(arguments);
        }

        @Override
        public void visitJumpInsn(int opcode, Label target) {
            add(opcode, target);
        }

        @Override
        public void visitLabel(Label label) {
            add("label", label);
        }

        @Override
        public void visitLdcInsn(Object value) {
            add("ldc", value.getClass().getSimpleName(), value);
        }

        @Override
        public void visitIincInsn(int variable, int by) {
            add("iinc", variable, by);
        }

        @Override
        public void visitTableSwitchInsn(int least, int most, Label other, Label... targets) {
            add("tableswitch", least, most, other);
            add(numbered(targets));
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] targets) {
            add("lookupswitch", other, Arrays.toString(keys));
            add(numbered(targets));
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            add("multianewarray", descriptor, dimensions);
        }

        @Override
        public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
            add("try", start, end, handler, type);
        }

        @Override
        public void visitEnd() {
            StringBuilder hex = new StringBuilder();
            byte[] all = digest.digest();
            for (int i = 0; i < SHOWN; i++) {
                hex.append(String.format("%02x", all[i]));
            }
            byMethod.put(method, hex.toString());
        }
    }
}
