package insync.bench;

import insync.core.Clock;
import insync.core.isr.FetchBody;
import insync.core.isr.FetchMarks;
import insync.core.isr.FetcherConnection;
import insync.core.isr.FollowerReplica;
import insync.core.isr.FollowerTracker;
import insync.core.isr.LeaderClock;
import insync.core.isr.NetworkThread;
import insync.core.isr.ReadScopeTracker;
import insync.core.isr.RequestScope;
import insync.core.isr.RequestScopeTracker;
import insync.core.isr.Stats;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Measures the cost of the feature per follower partition, with the calls of the woven code. An operation is one fetch of
 * one follower in the steady state of an incremental fetch session. Each thread is a follower; followers share only
 * the counters and the leader's clock.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Tracker {
    private static final long LAG_MS = 30_000;
    private static final long OFFSET = 1_002;
    private static final long MAX_WAIT_MS = 500;

    /** The state that all followers of a broker share. */
    @State(Scope.Benchmark)
    public static class Leader {
        final Clock clock = new SystemClock();
        final Stats stats = new Stats();
        final LeaderClock leaderClock = new LeaderClock(clock);
        final insync.core.isr.Scope readScope =
            new insync.core.isr.Scope(clock, stats, (replica, topic, partition, nanos) -> { });
        final RequestScope scope = new RequestScope(clock, leaderClock, stats,
            (replica, topic, partition, nanos) -> { }, (request, replica) -> FetchBody.NOT_NAMED);

        @Setup
        public void tick() {
            leaderClock.start(failed -> { });
        }
    }

    @Param({"1", "100", "4000"})
    int partitions;

    @Param({"off", "read", "request"})
    String scope;

    private FollowerTracker[] fetches;
    private FetcherConnection connection;

    /** A follower that is caught up with all its partitions, after a first fetch. */
    @Setup
    public void makeFollower(Leader leader) {
        int id = System.identityHashCode(this);
        fetches = new FollowerTracker[partitions];
        for (int i = 0; i < partitions; i++) {
            fetches[i] = make(leader, new Follower(id, i));
        }
        connection = leader.scope.connection("connection-" + id, id, "User:broker", new NetworkThread(leader.leaderClock));
        Object first = new Object();
        connection.arrived(first, 1, true, MAX_WAIT_MS);
        read();
        connection.sent(first);
    }

    private FollowerTracker make(Leader leader, FollowerReplica replica) {
        switch (scope) {
            case "read":
                return new ReadScopeTracker(replica, leader.readScope, null);
            case "request":
                return new RequestScopeTracker(replica, leader.scope, leader.clock.millis(), null);
            default:
                return null;
        }
    }

    /** Measures a fetch from its arrival to its end: marked, read, released. */
    @Benchmark
    public void markAndRelease(Leader leader) {
        if (scope.equals("read")) {
            FetchMarks marks = new FetchMarks(leader.readScope, MAX_WAIT_MS);
            for (FollowerTracker one : fetches) {
                marks.mark((ReadScopeTracker) one, OFFSET);
            }
            marks.marked();
            read();
            marks.complete();
        } else if (scope.equals("request")) {
            connection.arrived(this, 1, false, MAX_WAIT_MS);
            read();
            connection.sent(this);
        } else {
            read();
        }
    }

    /**
     * Measures the check of isr-expiration in the rare case that calls the plugin: Kafka's rule says "out of sync".
     */
    @Benchmark
    public void inSyncQuery(Leader leader, Blackhole hole) {
        long now = leader.clock.millis();
        for (FollowerTracker one : fetches) {
            hole.consume(one != null && one.holdsInSync(now, LAG_MS));
        }
    }

    private void read() {
        connection.serve();
        for (FollowerTracker one : fetches) {
            if (one != null) {
                one.fetched(OFFSET, OFFSET);
            }
        }
        FetcherConnection.served();
    }

    private static final class SystemClock implements Clock {
        @Override
        public long millis() {
            return System.currentTimeMillis();
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }
    }

    private static final class Follower implements FollowerReplica {
        private final int id;
        private final int partition;

        Follower(int id, int partition) {
            this.id = id;
            this.partition = partition;
        }

        @Override
        public String topic() {
            return "bench";
        }

        @Override
        public int partition() {
            return partition;
        }

        @Override
        public int replicaId() {
            return id;
        }

        @Override
        public int leaderEpoch() {
            return 1;
        }
    }
}
