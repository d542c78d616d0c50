package insync.agent.adapter;

/** A class that moved between versions which one adapter serves. */
public final class MovedClass {

    private MovedClass() { }

    /**
     * The one of its names under which this broker has the class, found without loading it.
     *
     * @param names oldest first; the last where there is none of them, for the weave check to name
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
