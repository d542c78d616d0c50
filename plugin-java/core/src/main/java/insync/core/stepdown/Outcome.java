package insync.core.stepdown;

import java.util.Locale;

/** What became of a step-down that was asked for. */
public enum Outcome {
    /** Another broker leads the partition. */
    DONE,
    /** The controller answered with an error, or changed nothing. The partition may be asked for again. */
    REFUSED,
    /** It could not be asked, or never answered. The partition may be asked for again. */
    FAILED;

    /** As events write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
