package insync.mutants;

/** The agent lacks a class or a method that a mutant changes, so the mutant would be the healthy agent. */
final class MissingMethodException extends RuntimeException {
    private static final long serialVersionUID = 1;

    MissingMethodException(String message) {
        super(message);
    }
}
