package insync.core.stepdown;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Orders the members of an ISR as successors: live ones that do not look slow first, then the most caught up.
 * Among equals the one that got the fewest partitions recently comes first, so that no single peer gets them all.
 */
final class SuccessorOrder {
    private final int self;
    private final Map<Integer, Integer> given = new HashMap<>();

    SuccessorOrder(int self) {
        this.self = self;
    }

    /** Returns the other members of the ISR: the successor first, those that cannot lead last. */
    List<Integer> order(PartitionView of, Peers peers) {
        List<Integer> others = new ArrayList<>();
        Map<Integer, Long> leo = new HashMap<>();
        for (int member : of.isr()) {
            if (member != self) {
                others.add(member);
                leo.put(member, of.leo(member));
            }
        }
        // The sort is stable: equal members stay in the order of the assignment.
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

    /** Notes that no partition is slow any longer. */
    void quiet() {
        given.clear();
    }
}
