package insync.core.stepdown.controller;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** How a controller tells that a leader steps down, and who is next: the ISR's order, read as KIP-501 means it. */
public final class RelinquishRule {
    /** Nobody can lead instead. */
    public static final int NOBODY = -1;

    private RelinquishRule() { }

    /**
     * Whether a request for an ISR is a leader's request to be relieved: the members are those that there are, and the
     * leader has moved last. A stock broker never asks for the ISR that there is.
     *
     * @param isr the ISR now, in any order
     * @param leader the leader now, who asks
     * @param asked the ISR that it asks for
     */
    public static boolean asksToStepDown(int[] isr, int leader, int[] asked) {
        if (asked.length < 2 || asked.length != isr.length || asked[asked.length - 1] != leader) {
            return false;
        }
        int[] now = isr.clone();
        int[] then = asked.clone();
        Arrays.sort(now);
        Arrays.sort(then);
        return Arrays.equals(now, then);
    }

    /**
     * The first in the order asked for who may lead, the leader left out.
     *
     * @param mayLead whether a broker is live, unfenced and has its log
     * @return a broker id or {@link #NOBODY}
     */
    public static int successor(int[] asked, int leader, IntPredicate mayLead) {
        for (int id : asked) {
            if (id != leader && mayLead.test(id)) {
                return id;
            }
        }
        return NOBODY;
    }

    /** Whether the leader may leave the ISR: those that remain must be enough for acks=all. */
    public static boolean mayLeave(int[] asked, int minIsr) {
        return asked.length - 1 >= Math.max(1, minIsr);
    }
}
