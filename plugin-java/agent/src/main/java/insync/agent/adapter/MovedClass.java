package insync.agent.adapter;

/** Finds a class that moved between versions of one adapter. */
public final class MovedClass {

    private MovedClass() { }

    /**
     * Returns the name of the class in this broker, without loading it.
     *
     * @param names in the order in which they are looked for; if the broker has none of them, the last one is returned, and the weave check reports it
     */
    public static String to(String... names) {
        for (String name : names) {
            if (ClassLoader.getSystemResource(name.replace('.', '/') + ".class") != null) {
                return name;
            }
        }
        return names[names.length - 1];
    }
}
