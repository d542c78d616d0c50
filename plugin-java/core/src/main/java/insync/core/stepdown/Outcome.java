package insync.core.stepdown;

/** The result of a requested step-down. */
public enum Outcome {
    /** Another broker leads the partition. */
    DONE,
    /** The controller answered with an error, or changed nothing. The request may be repeated. */
    REFUSED,
    /** The controller could not be reached, or did not answer. The request may be repeated. */
    FAILED
}
