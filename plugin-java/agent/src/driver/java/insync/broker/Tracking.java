package insync.broker;

import insync.core.Insync;
import insync.core.isr.LeaderClock;
import insync.core.isr.RequestScope;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import kafka.network.RequestChannel;
import org.apache.kafka.common.utils.Time;

/** The code that tracks fetches in a driven broker: the agent's, or that of the source patch, or none. */
interface Tracking {

    /** Moves the clock of scope "request", which the test's time drives. */
    void tick();

    /** Returns the counts of marks, or null if nothing counts them. */
    Map<String, Object> stats();

    /** Returns a replica's pending fetches. */
    List<Map<String, Object>> pending(Object replica);

    static Tracking of(RequestChannel queue, Time time) throws IllegalAccessException {
        return PatchedTracking.isInKafka() ? new PatchedTracking(time) : new WovenTracking(leaderClock(queue));
    }

    /**
     * Returns the clock of scope "request", in a field that the agent adds to the queue; null if the broker does not run the
     * scope.
     */
    private static LeaderClock leaderClock(RequestChannel queue) throws IllegalAccessException {
        try {
            Field scope = RequestChannel.class.getDeclaredField("insync$scope");
            scope.setAccessible(true);
            RequestScope found = (RequestScope) scope.get(queue);
            return found == null ? null : found.leaderClock;
        } catch (NoSuchFieldException withoutAgent) {
            return null;
        }
    }

    /** The agent's, which does nothing in a JVM without the agent. */
    final class WovenTracking implements Tracking {
        private final LeaderClock clock;

        WovenTracking(LeaderClock clock) {
            this.clock = clock;
        }

        @Override
        public void tick() {
            if (clock != null) {
                clock.tick();
            }
        }

        @Override
        public Map<String, Object> stats() {
            return Insync.current().stats.toMap();
        }

        @Override
        public List<Map<String, Object>> pending(Object replica) {
            return DrivenTopic.pendingOfAgent(replica);
        }
    }
}
