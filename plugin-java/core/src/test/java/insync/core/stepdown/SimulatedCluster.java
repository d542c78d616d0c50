package insync.core.stepdown;

import insync.core.ManualClock;
import insync.core.stepdown.PeerFetches.OutgoingFetch;
import insync.core.stepdown.StepDownWatch.FirstFetches;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Three brokers with replicas of every partition, each with its own watch, and a controller that executes every request
 * at the next tick. A stalled broker answers no fetch. There are no threads: time is a loop.
 */
final class SimulatedCluster {
    static final int BROKERS = 3;
    static final int PARTITIONS = 12;

    private final ManualClock clock = new ManualClock();
    private final long startMs = clock.ms;
    private final long tickMs;
    private final Broker[] brokers = new Broker[BROKERS];
    private final Led[] partitions = new Led[PARTITIONS];
    /** Null if no broker steps down. */
    private final StepDownSettings settings;
    private int changes;
    private long stalledMs;

    SimulatedCluster(StepDownSettings settings, long tickMs) {
        this.settings = settings;
        this.tickMs = tickMs;
        for (int id = 0; id < BROKERS; id++) {
            brokers[id] = new Broker(id);
        }
        for (int id = 0; id < PARTITIONS; id++) {
            partitions[id] = new Led(id);
        }
    }

    /** @param fromMs since the start of the simulation */
    void stall(int broker, long fromMs, long forMs) {
        brokers[broker].stalls.add(new long[] {startMs + fromMs, startMs + fromMs + forMs});
    }

    void run(long ms) {
        for (long end = clock.ms + ms; clock.ms < end; clock.ms += tickMs) {
            List<Decision> asked = new ArrayList<>();
            for (Broker broker : brokers) {
                broker.fetch();
                if (settings != null) {
                    asked.addAll(broker.tick());
                }
            }
            for (Led partition : partitions) {
                stalledMs += brokers[partition.leader].isStalled() ? tickMs : 0;
            }
            asked.forEach(this::elect);
        }
    }

    private void elect(Decision decision) {
        Led partition = partitions[decision.partition];
        brokers[partition.leader].watch.answered(decision, Outcome.DONE, "simulated", null);
        partition.leader = decision.successor();
        partition.epoch++;
        partition.ledSinceMs = clock.ms;
        partition.changedMs.add(clock.ms);
        changes++;
    }

    int leaderChanges() {
        return changes;
    }

    /** Returns how long partitions were led by a stalled broker, summed over partitions. */
    long stalledMs() {
        return stalledMs;
    }

    /** Returns the shortest time between two leader changes of one partition. */
    long shortestTermMs() {
        long shortest = Long.MAX_VALUE;
        for (Led partition : partitions) {
            for (int i = 1; i < partition.changedMs.size(); i++) {
                shortest = Math.min(shortest, partition.changedMs.get(i) - partition.changedMs.get(i - 1));
            }
        }
        return shortest;
    }

    int ledBy(int broker) {
        return (int) Arrays.stream(partitions).filter(one -> one.leader == broker).count();
    }

    /** A broker: its watch, and its fetches from the others. */
    private final class Broker {
        private final int id;
        private final List<long[]> stalls = new ArrayList<>();
        private final OutgoingFetch[] to = new OutgoingFetch[BROKERS];
        private final boolean[] waiting = new boolean[BROKERS];
        private final StepDownWatch watch;
        private final int[] peers;

        Broker(int id) {
            this.id = id;
            PeerFetches fetches = new PeerFetches(clock);
            peers = IntStream.range(0, BROKERS).filter(peer -> peer != id).toArray();
            for (int peer : peers) {
                to[peer] = fetches.fetcher(peer);
            }
            watch = settings == null ? null
                : new StepDownWatch(id, settings, clock, fetches, () -> FirstFetches.COUNT, new StepDownStats(WatchedBroker.QUIET), failed -> { throw new AssertionError(failed); });
        }

        boolean isStalled() {
            return stallSince() != FakePartition.NOT_OVERDUE;
        }

        long stallSince() {
            return stalls.stream().filter(stall -> stall[0] <= clock.ms && clock.ms < stall[1])
                .mapToLong(stall -> stall[0]).findFirst().orElse(FakePartition.NOT_OVERDUE);
        }

        /** Sends fetches: one to a stalled broker stays unanswered, others are answered between two ticks. */
        void fetch() {
            for (int peer : peers) {
                boolean stands = brokers[peer].isStalled() && ledBy(peer) > 0;
                if (stands && !waiting[peer]) {
                    to[peer].sent();
                } else if (!stands) {
                    to[peer].ended();
                }
                waiting[peer] = stands;
            }
        }

        List<Decision> tick() {
            List<Led> led = Arrays.stream(partitions).filter(one -> one.leader == id).collect(Collectors.toList());
            return watch.tick(led, peers, List.of()).stream().filter(Decision::acts).collect(Collectors.toList());
        }
    }

    /** A partition with its leader. */
    private final class Led extends FakePartition {
        private final List<Long> changedMs = new ArrayList<>();
        private int leader;
        private long ledSinceMs;

        Led(int id) {
            super("simulated", id);
            leader = id % BROKERS;
            leo.put(0, 100L);
        }

        @Override
        public long overdueSince(long before) {
            long stall = brokers[leader].stallSince();
            overdueMs = stall == NOT_OVERDUE ? NOT_OVERDUE : Math.max(stall, ledSinceMs);
            return super.overdueSince(before);
        }
    }
}
