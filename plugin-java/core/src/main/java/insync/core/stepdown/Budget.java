package insync.core.stepdown;

import java.util.ArrayDeque;

/** How many partitions this broker may still give away: so many in any minute, and no more. */
final class Budget {
    private static final long MINUTE = 60_000_000_000L;

    private final int perMinute;
    private final ArrayDeque<Long> spent = new ArrayDeque<>();

    Budget(int perMinute) {
        this.perMinute = perMinute;
    }

    /** Takes one, if there is one. */
    boolean take(long now) {
        while (!spent.isEmpty() && now - spent.peekFirst() >= MINUTE) {
            spent.removeFirst();
        }
        boolean left = spent.size() < perMinute;
        if (left) {
            spent.addLast(now);
        }
        return left;
    }

    /** Gives back one that was taken and had no effect. */
    void giveBack() {
        spent.pollLast();
    }
}
