package insync.broker;

import insync.agent.isr.ReplicaHooks.FollowerCarrier;
import insync.core.events.EventLog;
import insync.core.isr.FollowerTracker;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import kafka.cluster.Partition;
import kafka.server.ReplicaManager;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.server.purgatory.TopicPartitionOperationKey;
import org.apache.kafka.server.replica.Replica;
import org.apache.kafka.server.util.MockTime;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/**
 * The partitions of one topic, led by this broker and followed by two others. A third follower never fetches, so that
 * the high watermark does not move and completes no waiting fetch.
 */
final class DrivenTopic {
    static final List<Integer> FOLLOWERS = List.of(2, 3);
    private static final int SILENT = 4;
    private static final int ELSEWHERE = 9;
    /** Limits that no test's lag reaches; a follower that was never caught up is out of sync even with these. */
    private static final long LONGEST_LAG_MS = 1L << 33;
    private static final int PARTITIONS = 2;

    private final int leader;
    private final MockTime time;
    private final ReplicaManager replicas;
    private final Path folder;
    private final Tracking tracking;
    private final Uuid id = Uuid.randomUuid();
    private final String name;
    private final List<Partition> partitions = new ArrayList<>();
    private final List<UnifiedLog> logs = new ArrayList<>();
    private final Method isFollowerOutOfSync;

    /** @param duringRead receives the number of the partition that is read */
    DrivenTopic(int leader, String name, ReplicaManager replicas, MockTime time, Path folder,
                Tracking tracking, java.util.function.IntConsumer duringRead) throws Exception {
        this.leader = leader;
        this.name = name;
        this.time = time;
        this.replicas = replicas;
        this.folder = folder;
        this.tracking = tracking;
        isFollowerOutOfSync = Partition.class.getDeclaredMethod("isFollowerOutOfSync", int.class, long.class, long.class,
            long.class);
        isFollowerOutOfSync.setAccessible(true);
        for (int number = 0; number < PARTITIONS; number++) {
            int read = number;
            Partition partition = replicas.createPartition(new TopicPartition(name, number));
            UnifiedLog log = BrokerParts.log(folder, partition.topicPartition(), id, time, call -> {
                duringRead.accept(read);
                return call.callRealMethod();
            });
            partition.setLog(log, false);
            partitions.add(partition);
            logs.add(log);
            elect(number, FOLLOWERS);
        }
    }

    String name() {
        return name;
    }

    Uuid id() {
        return id;
    }

    void elect(int number, List<Integer> inSync) {
        int[] isr = IntStream.concat(IntStream.of(leader, SILENT), inSync.stream().mapToInt(Integer::intValue)).toArray();
        nextEpoch(number, leader, isr);
    }

    void resign(int number) {
        nextEpoch(number, ELSEWHERE, everybody());
    }

    private void nextEpoch(int number, int newLeader, int[] isr) {
        Partition partition = partitions.get(number);
        BrokerParts.elect(partition, leader,
            BrokerParts.registration(everybody(), isr, newLeader, partition.getLeaderEpoch() + 1), id);
        wake(number);
    }

    void append(int number, int records) throws Exception {
        BrokerParts.append(logs.get(number), records, time.milliseconds(),
            partitions.get(number).getLeaderEpoch());
        wake(number);
    }

    /** Completes waiting fetches after a change. */
    private void wake(int number) {
        replicas.delayedFetchPurgatory().checkAndComplete(
            new TopicPartitionOperationKey(new TopicIdPartition(id, partitions.get(number).topicPartition())));
    }

    private int[] everybody() {
        return new int[] {leader, SILENT, FOLLOWERS.get(0), FOLLOWERS.get(1), ELSEWHERE};
    }

    void close() throws IOException {
        for (UnifiedLog log : logs) {
            log.close();
            Utils.delete(folder.resolve(log.topicPartition().toString()).toFile());
        }
    }

    /** Returns the leader's view of each partition; without followers if this broker does not lead it. */
    List<Map<String, Object>> state() {
        List<Map<String, Object>> all = new ArrayList<>();
        for (int number = 0; number < PARTITIONS; number++) {
            Partition partition = partitions.get(number);
            Map<String, Object> followers = new TreeMap<>();
            for (int follower : partition.isLeader() ? FOLLOWERS : List.<Integer>of()) {
                followers.put(String.valueOf(follower), follower(number, follower));
            }
            all.add(EventLog.fields("leo", logs.get(number).logEndOffset(), "leader_epoch", partition.getLeaderEpoch(),
                "followers", followers));
        }
        return all;
    }

    private Map<String, Object> follower(int number, int follower) {
        Replica replica = partitions.get(number).getReplica(follower).get();
        return EventLog.fields("least_lag_ms", leastLag(number, follower), "pending", tracking.pending(replica));
    }

    /** Returns the smallest replica.lag.time.max.ms with which the follower is in sync now, or null. */
    private Long leastLag(int number, int follower) {
        if (isOutOfSync(number, follower, LONGEST_LAG_MS)) {
            return null;
        }
        long below = -1;
        long enough = LONGEST_LAG_MS;
        while (enough - below > 1) {
            long middle = (below + enough) >> 1;
            if (isOutOfSync(number, follower, middle)) {
                below = middle;
            } else {
                enough = middle;
            }
        }
        return enough;
    }

    private boolean isOutOfSync(int number, int follower, long lagMs) {
        try {
            return (Boolean) isFollowerOutOfSync.invoke(partitions.get(number), follower,
                logs.get(number).logEndOffset(), time.milliseconds(), lagMs);
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Returns a replica's pending fetches in a field that the agent adds to it. */
    static List<Map<String, Object>> pendingOfAgent(Object replica) {
        FollowerTracker fetches = replica instanceof FollowerCarrier ? ((FollowerCarrier) replica).insync$fetches() : null;
        return fetches == null ? List.of() : fetches.snapshot();
    }
}
