package insync.agent.adapter;

/** Finds a class that moved between versions that one adapter serves. */
public final class MovedClass {

    private MovedClass() { }

    /**
     * Returns the name under which this broker has the class, without loading it.
     *
     * @param names oldest first; the last one is returned if the broker has none of them, so that the weave check names
     *     it
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
