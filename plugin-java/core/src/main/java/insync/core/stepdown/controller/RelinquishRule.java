package insync.core.stepdown.controller;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Reads from the order of a requested ISR whether a leader steps down and which broker is next, as in KIP-501. */
public final class RelinquishRule {
    /** No other broker can lead. */
    public static final int NOBODY = -1;

    private RelinquishRule() { }

    /**
     * Returns whether an AlterPartition is a leader's request to step down: the ISR has the present members, with the
     * leader moved last. A stock broker never requests the present ISR.
     *
     * @param isr the ISR now, in any order
     * @param leader the leader now, which sends the request
     * @param asked the requested ISR
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
     * Returns the first broker in the requested order that may lead, without the leader.
     *
     * @param mayLead whether a broker is live, unfenced and has its log
     * @return a broker id or {@link #NOBODY}
     */
    public static int successor(int[] asked, int leader, IntPredicate mayLead) {
        return IntStream.of(asked).filter(id -> id != leader && mayLead.test(id)).findFirst().orElse(NOBODY);
    }

    /** Returns whether the leader may leave the ISR: enough members for acks=all must remain. */
    public static boolean mayLeave(int[] asked, int minIsr) {
        return asked.length - 1 >= Math.max(1, minIsr);
    }
}
