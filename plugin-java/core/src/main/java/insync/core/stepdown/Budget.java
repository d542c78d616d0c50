package insync.core.stepdown;

import java.util.ArrayDeque;

/** Limits how many partitions this broker gives away in any minute. */
final class Budget {
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

    /** Returns one to the budget, because the request had no effect. */
    void giveBack() {
        spent.pollLast();
    }
}
