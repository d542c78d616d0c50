package insync.agent.weave;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.Remapper;

/**
 * Collects the classes and members of Kafka, Scala, Yammer and slf4j that our class files use, and which of our own classes they use,
 * except by a class constant: hooks name their advices so. ASM asks it for a new name of each, and it keeps the name.
 */
final class SymbolCollector extends Remapper {
    final TreeSet<Symbol> symbols = new TreeSet<>();
    /** The names of our classes that those that were read use or are nested in; the core's know no broker. */
    final Set<String> own = new TreeSet<>();
    /** The names of the classes that were read and that extend or implement a type of the broker. */
    final Set<String> classes = new TreeSet<>();

    SymbolCollector() {
        super(Opcodes.ASM9);
    }

    void read(byte[] classFile) {
        ClassReader read = new ClassReader(classFile);
        if (isBrokers(read.getSuperName()) || Stream.of(read.getInterfaces()).anyMatch(SymbolCollector::isBrokers)) {
            classes.add(read.getClassName().replace('/', '.'));
        }
        ClassVisitor everyMethod = new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
                return new MethodVisitor(Opcodes.ASM9) { };
            }
        };
        read.accept(new ClassRemapper(Opcodes.ASM9, everyMethod, this) {
            @Override
            public void visitInnerClass(String name, String outer, String inner, int access) { }

            @Override
            public void visitNestMember(String member) { }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    @Override
    public String map(String internalName) {
        if (internalName.startsWith("insync/agent/") || internalName.startsWith("insync/lab/")) {
            own.add(internalName.replace('/', '.'));
        }
        addType(internalName);
        return internalName;
    }

    @Override
    public String mapFieldName(String owner, String name, String descriptor) {
        return addMember(owner, name, descriptor);
    }

    @Override
    public String mapMethodName(String owner, String name, String descriptor) {
        return addMember(owner, name, descriptor);
    }

    /** Our own classes that a descriptor names are not used by that alone. */
    @Override
    public String mapDesc(String descriptor) {
        addDescriptor(Type.getType(descriptor));
        return descriptor;
    }

    @Override
    public String mapMethodDesc(String descriptor) {
        addDescriptor(Type.getReturnType(descriptor));
        for (Type argument : Type.getArgumentTypes(descriptor)) {
            addDescriptor(argument);
        }
        return descriptor;
    }

    @Override
    public String mapSignature(String signature, boolean isType) {
        return signature;
    }

    @Override
    public Object mapValue(Object value) {
        if (value instanceof Type && ((Type) value).getSort() != Type.METHOD) {
            addDescriptor((Type) value);
            return value;
        }
        return super.mapValue(value);
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

    private String addMember(String owner, String name, String descriptor) {
        if (isBrokers(owner)) {
            symbols.add(new Symbol(owner.replace('/', '.'), name, descriptor));
        }
        return name;
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
