package insync.agent.weave;

/** Names a class of the broker, or one member of it. */
final class Symbol implements Comparable<Symbol> {
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
