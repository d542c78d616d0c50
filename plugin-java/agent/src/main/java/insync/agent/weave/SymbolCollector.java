package insync.agent.weave;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/** Collects the classes and members of Kafka, Scala and Yammer that our class files use. */
final class SymbolCollector extends ClassVisitor {
    private final TreeSet<Symbol> symbols = new TreeSet<>();
    private final List<String> nested = new ArrayList<>();

    SymbolCollector() {
        super(Opcodes.ASM9);
    }

    TreeSet<Symbol> symbols() {
        return symbols;
    }

    /** Returns the names of the classes nested in those that were read, anonymous ones included. */
    List<String> nested() {
        return nested;
    }

    @Override
    public void visitNestMember(String member) {
        nested.add(member.replace('/', '.'));
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        addType(superName);
        for (String parent : interfaces) {
            addType(parent);
        }
    }

    @Override
    public FieldVisitor visitField(int access, String name, String descriptor, String signature, Object value) {
        addDescriptor(Type.getType(descriptor));
        return null;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        addMethodTypes(descriptor);
        return new MethodVisitor(Opcodes.ASM9) {
            @Override
            public void visitFieldInsn(int opcode, String owner, String field, String type) {
                addMember(owner, field, type);
            }

            @Override
            public void visitMethodInsn(int opcode, String owner, String method, String type, boolean isInterface) {
                addMember(owner, method, type);
                addMethodTypes(type);
            }

            @Override
            public void visitTypeInsn(int opcode, String type) {
                addDescriptor(Type.getObjectType(type));
            }
        };
    }

    private void addMethodTypes(String descriptor) {
        addDescriptor(Type.getReturnType(descriptor));
        for (Type argument : Type.getArgumentTypes(descriptor)) {
            addDescriptor(argument);
        }
    }

    private void addDescriptor(Type type) {
        Type element = type.getSort() == Type.ARRAY ? type.getElementType() : type;
        if (element.getSort() == Type.OBJECT) {
            addType(element.getInternalName());
        }
    }

    private void addType(String internalName) {
        if (isBrokers(internalName)) {
            symbols.add(new Symbol(internalName.replace('/', '.'), null, null));
        }
    }

    private void addMember(String owner, String name, String descriptor) {
        if (isBrokers(owner)) {
            symbols.add(new Symbol(owner.replace('/', '.'), name, descriptor));
        }
    }

    private static boolean isBrokers(String internalName) {
        return internalName.startsWith("kafka/") || internalName.startsWith("org/apache/kafka/")
            || internalName.startsWith("scala/") || internalName.startsWith("com/yammer/");
    }
}
