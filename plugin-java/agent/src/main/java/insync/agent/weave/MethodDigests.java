package insync.agent.weave;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.Attribute;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Computes a digest of the instructions of each method of a class: of a class file with that method alone. Line numbers, names of
 * variables, stack maps and the order of constants do not count, so that two builds of the same source have the same digests.
 */
public final class MethodDigests extends ClassVisitor {
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
    public static Map<String, String> of(byte[] classFile, Set<String> methods) {
        MethodDigests found = new MethodDigests(methods);
        new ClassReader(classFile).accept(found, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return found.byMethod;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        if (!methods.contains(name + descriptor)) {
            return null;
        }
        ClassWriter alone = new ClassWriter(0);
        alone.visit(Opcodes.V11, Opcodes.ACC_PUBLIC, "Alone", null, "java/lang/Object", null);
        return new MethodVisitor(Opcodes.ASM9, alone.visitMethod(Opcodes.ACC_PUBLIC, name, descriptor, null, null)) {
            @Override
            public AnnotationVisitor visitAnnotation(String type, boolean visible) {
                return null;
            }

            @Override
            public AnnotationVisitor visitParameterAnnotation(int parameter, String type, boolean visible) {
                return null;
            }

            @Override
            public void visitParameter(String parameter, int flags) { }

            @Override
            public void visitAttribute(Attribute attribute) { }

            @Override
            public void visitEnd() {
                super.visitEnd();
                byMethod.put(name + descriptor, digest(alone.toByteArray()));
            }
        };
    }

    private static String digest(byte[] classFile) {
        try {
            // The first eight bytes.
            return String.format("%016x", ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(classFile)).getLong());
        } catch (NoSuchAlgorithmException everyJvmHasIt) {
            throw new IllegalStateException(everyJvmHasIt);
        }
    }
}
