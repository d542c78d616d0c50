package insync.core.stepdown;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decides whether to give away a partition that is slow, and to which broker, by rules in a fixed order. */
final class StepDownRules {
    private final int self;
    private final StepDownSettings settings;
    private final Peers peers;
    private final Budget budget;
    private final SuccessorOrder succession;

    StepDownRules(int self, StepDownSettings settings, Peers peers) {
        this.self = self;
        this.settings = settings;
        this.peers = peers;
        this.budget = new Budget(settings);
        this.succession = new SuccessorOrder(self);
    }

    /** Notes that no partition is slow. */
    void quiet() {
        succession.quiet();
    }

    /** Notes that a requested step-down did not happen. */
    void notGiven(Decision decision) {
        budget.giveBack(decision.atNanos);
    }

    Decision decide(SlowPartition one, long now) {
        Reason against = against(one, now);
        if (against != null) {
            return Decision.withhold(one, against, now);
        }
        List<Integer> order = succession.order(one.view, peers);
        if (order.isEmpty() || !peers.isLive(order.get(0))) {
            return Decision.withhold(one, Reason.NO_SUCCESSOR, now);
        }
        if (peers.isSlow(order.get(0))) {
            return Decision.withhold(one, Reason.SUCCESSORS_SLOW, now);
        }
        // Last, so that only requested step-downs spend the budget.
        return budget.take(now) ? act(one, order, now) : Decision.withhold(one, Reason.BUDGET_SPENT, now);
    }

    /** Returns the reason against a step-down to any successor; null if there is none. */
    private Reason against(SlowPartition one, long now) {
        if (one.entry.isAwaited() || one.entry.isRefused(now)) {
            return Reason.AWAITING_ANSWER;
        }
        if (one.view.isChanging()) {
            return Reason.CHANGING;
        }
        if (one.entry.isCooling(now)) {
            return Reason.COOLING_DOWN;
        }
        return peers.tooManySlow() ? Reason.PEERS_SLOW : null;
    }

    private Decision act(SlowPartition one, List<Integer> order, long now) {
        boolean leaves = settings.exLeader() == StepDownSettings.ExLeader.LEAVE && order.size() >= one.view.minIsr();
        int[] isr = new int[order.size() + (leaves ? 0 : 1)];
        for (int place = 0; place < order.size(); place++) {
            isr[place] = order.get(place);
        }
        if (!leaves) {
            isr[order.size()] = self;
        }
        succession.given(isr[0]);
        Decision decision = Decision.act(one, now, isr, leaves);
        one.entry.asked(decision, now);
        return decision;
    }

    /** Limits how many partitions this broker gives away in any minute. */
    static final class Budget {
        private static final long MINUTE = 60_000_000_000L;

        private final StepDownSettings settings;
        private final ArrayDeque<Long> spent = new ArrayDeque<>();

        Budget(StepDownSettings settings) {
            this.settings = settings;
        }

        /** Takes one from the budget; returns false if it is spent. */
        boolean take(long now) {
            while (!spent.isEmpty() && now - spent.peekFirst() >= MINUTE) {
                spent.removeFirst();
            }
            boolean left = spent.size() < settings.budgetPerMinute();
            if (left) {
                spent.addLast(now);
            }
            return left;
        }

        /** Returns what was taken at a time to the budget, because the request had no effect. */
        void giveBack(long taken) {
            spent.removeLastOccurrence(taken);
        }
    }

    /**
     * Orders the members of an ISR as successors: live ones that do not look slow first, then the most caught up.
     * Among equals the one that got the fewest partitions recently comes first, so that no single peer gets them all.
     */
    static final class SuccessorOrder {
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
}
