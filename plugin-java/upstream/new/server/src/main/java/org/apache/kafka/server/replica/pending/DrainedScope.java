package org.apache.kafka.server.replica.pending;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A scope that a config update has turned off, and that stays in effect for the fetches that were pending then. */
final class DrainedScope {
    private final BooleanSupplier idle;
    private final Runnable end;
    private final Consumer<String> disconnected;
    private final Clock clock;
    private final long drainNanos;
    private boolean wasIdle;
    private long idleSince;

    private DrainedScope(BooleanSupplier idle, Runnable end, Consumer<String> disconnected, Clock clock, long drainMs) {
        this.idle = idle;
        this.end = end;
        this.disconnected = disconnected;
        this.clock = clock;
        this.drainNanos = Millis.toNanos(drainMs);
    }

    static DrainedScope of(ReadScope scope, Clock clock, long drainMs) {
        return new DrainedScope(() -> true, scope::end, id -> { }, clock, drainMs);
    }

    static DrainedScope of(RequestScope scope, Stats stats, Clock clock, long drainMs) {
        return new DrainedScope(scope::isIdle, () -> {
            scope.end();
            stats.leaderClockStops(scope.leaderClock());
            scope.leaderClock().stop();
        }, scope::disconnected, clock, drainMs);
    }

    void disconnected(String connectionId) {
        disconnected.accept(connectionId);
    }

    /** Ends the scope once it has been idle for as long as a follower may need to be caught up by the leader's own rule. */
    synchronized boolean endIfDrained() {
        long now = clock.nanos();
        if (!wasIdle && idle.getAsBoolean()) {
            wasIdle = true;
            idleSince = now;
        }
        boolean drained = wasIdle && now - idleSince >= drainNanos;
        if (drained) {
            end();
        }
        return drained;
    }

    void end() {
        end.run();
    }
}
