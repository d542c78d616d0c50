package insync.lab.pausepoints;

import insync.agent.weave.TypeHooks;
import insync.bridge.pausepoints.PausePoints;
import insync.core.Insync;
import insync.lab.OfVersion;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * Passes the points at which tests may pause a thread of a broker; woven only with the agent's option {@code
 * pause-points=on}.
 */
public final class PausePointHooks {
    /** A partition is read for a follower, and the fetch is not recorded yet. The replica is the follower. */
    public static final String LEADER_READ = "leader-read";
    /** A follower's log end offset is recorded, and the high watermark has not moved yet. The replica is the follower. */
    public static final String LEADER_RECORDED = "leader-recorded";
    /** A partition's high watermark is read, and its log start offset is not. The replica is the one that reads. */
    public static final String LEADER_HALF_READ = "leader-half-read";
    /** A follower has a response and has not appended its records yet. There is no replica. */
    public static final String FOLLOWER_RECEIVED = "follower-received";
    /** The replica id if it is not known which replica a thread serves, as from 3.6 on. */
    public static final int UNKNOWN = -1;

    /** The pauses that tests ask for. */
    public static final PausePoints POINTS = new PausePoints();

    private static final ThreadLocal<Reading> READING = new ThreadLocal<>();

    private PausePointHooks() { }

    /** Returns the hooks for an adapter's versions. */
    public static List<TypeHooks> of(String adapter) {
        switch (adapter) {
            case "v1_1":
                return OfVersion.of11().pausePoints();
            case "v2_8":
                return List.of();
            default:
                return Points.since36();
        }
    }

    /** Passes a point; waits if a test pauses this thread there. */
    public static void pass(String point, int replica, TopicPartition partition) {
        if (Insync.isDisabled()) {
            return;
        }
        POINTS.pass(point, replica, partition == null ? "" : partition.toString());
    }

    /** Notes that this thread begins to read for a replica; the partition is null if it is not known yet. */
    public static void beginRead(int replica, TopicPartition partition) {
        READING.set(new Reading(replica, partition));
    }

    /** Notes that this thread reads a partition's log start offset. */
    public static void halfRead(TopicPartition partition) {
        Reading reading = READING.get();
        if (reading != null) {
            pass(LEADER_HALF_READ, reading.replica, partition == null ? reading.partition : partition);
        }
    }

    public static void endRead() {
        READING.remove();
    }

    private static final class Reading {
        private final int replica;
        private final TopicPartition partition;

        private Reading(int replica, TopicPartition partition) {
            this.replica = replica;
            this.partition = partition;
        }
    }
}
