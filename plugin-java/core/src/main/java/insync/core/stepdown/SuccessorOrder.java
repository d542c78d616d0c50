package insync.core.stepdown;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * In which order the members of an ISR are to lead: live ones that do not look slow, of these the most caught up
 * first. Among equals the one that was given the fewest partitions lately, so that no single peer gets them all.
 */
final class SuccessorOrder {
    private final int self;
    private final Map<Integer, Integer> given = new HashMap<>();

    SuccessorOrder(int self) {
        this.self = self;
    }

    /** Other members of the ISR, the one to succeed first; those that cannot, last. */
    List<Integer> order(PartitionView of, Peers peers) {
        List<Integer> others = new ArrayList<>();
        Map<Integer, Long> leo = new HashMap<>();
        for (int member : of.isr()) {
            if (member != self) {
                others.add(member);
                leo.put(member, of.leo(member));
            }
        }
        // Stable: what is equal in all this stays in the order of the assignment.
        others.sort(Comparator.<Integer, Boolean>comparing(id -> !peers.isLive(id))
            .thenComparing(peers::isSlow)
            .thenComparing(peers::isSuspect)
            .thenComparing(leo::get, Comparator.reverseOrder())
            .thenComparing(id -> given.getOrDefault(id, 0)));
        return others;
    }

    void given(int successor) {
        given.merge(successor, 1, Integer::sum);
    }

    /** No fetch is slow any longer. */
    void quiet() {
        given.clear();
    }
}
