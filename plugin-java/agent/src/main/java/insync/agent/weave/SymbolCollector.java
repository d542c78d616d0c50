package insync.agent.weave;

import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/**
 * Collects the classes and members of Kafka, Scala, Yammer and slf4j that our class files use, and which of our own classes they use,
 * except by a class constant: hooks name their advices so.
 */
final class SymbolCollector extends ClassVisitor {
    private final TreeSet<Symbol> symbols = new TreeSet<>();
    private final Set<String> own = new TreeSet<>();
    private final Set<String> classes = new TreeSet<>();

    SymbolCollector() {
        super(Opcodes.ASM9);
    }

    TreeSet<Symbol> symbols() {
        return symbols;
    }

    /** Returns the names of our classes that those that were read use or are nested in; the core's know no broker. */
    Set<String> own() {
        return own;
    }

    /** Returns the names of the classes that were read and that extend or implement a type of the broker. */
    Set<String> classes() {
        return classes;
    }

    @Override
    public void visitNestHost(String host) {
        addOwn(host);
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        addType(superName);
        addOwn(superName);
        boolean ofBroker = isBrokers(superName);
        for (String parent : interfaces) {
            addType(parent);
            addOwn(parent);
            ofBroker |= isBrokers(parent);
        }
        if (ofBroker) {
            classes.add(name.replace('/', '.'));
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
                addOwn(type);
            }

            @Override
            public void visitInvokeDynamicInsn(String method, String type, Handle bootstrap, Object... arguments) {
                addMethodTypes(type);
                addConstant(bootstrap);
                for (Object argument : arguments) {
                    addConstant(argument);
                }
            }

            @Override
            public void visitLdcInsn(Object value) {
                addConstant(value);
            }

            @Override
            public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
                addDescriptor(Type.getType(descriptor));
            }

            @Override
            public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
                if (type != null) {
                    addType(type);
                }
            }
        };
    }

    /** Adds what a constant names: a class, or the method of a reference such as {@code Partition::topic}. */
    private void addConstant(Object value) {
        if (value instanceof Handle) {
            Handle handle = (Handle) value;
            addMember(handle.getOwner(), handle.getName(), handle.getDesc());
            if (handle.getDesc().startsWith("(")) {
                addMethodTypes(handle.getDesc());
            }
        } else if (value instanceof Type && ((Type) value).getSort() == Type.METHOD) {
            addMethodTypes(((Type) value).getDescriptor());
        } else if (value instanceof Type) {
            addDescriptor((Type) value);
        }
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

    private void addOwn(String internalName) {
        if (internalName.startsWith("insync/agent/") || internalName.startsWith("insync/lab/")) {
            own.add(internalName.replace('/', '.'));
        }
    }

    private void addMember(String owner, String name, String descriptor) {
        addOwn(owner);
        if (isBrokers(owner)) {
            symbols.add(new Symbol(owner.replace('/', '.'), name, descriptor));
        }
    }

    private static boolean isBrokers(String internalName) {
        return internalName.startsWith("kafka/") || internalName.startsWith("org/apache/kafka/")
            || internalName.startsWith("scala/") || internalName.startsWith("com/yammer/")
            || internalName.startsWith("org/slf4j/");
    }

    /** Names a class of the broker, or one member of it. */
    static final class Symbol implements Comparable<Symbol> {
        final String owner;
        final String name;
        final String descriptor;

        /**
         * @param owner class name with dots
         * @param name the member's name, or null for the class itself
         * @param descriptor the member's JVM descriptor, or null for the class itself
         */
        Symbol(String owner, String name, String descriptor) {
            this.owner = owner;
            this.name = name;
            this.descriptor = descriptor;
        }

        boolean isField() {
            return !descriptor.startsWith("(");
        }

        @Override
        public int compareTo(Symbol other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            if (name == null) {
                return "class " + owner;
            }
            return (isField() ? "field " : "method ") + owner + "." + name + (isField() ? " of type " : "") + descriptor;
        }
    }
}
