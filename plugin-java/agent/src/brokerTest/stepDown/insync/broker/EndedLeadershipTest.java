package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import insync.agent.stepdown.broker.LeadershipHooks;
import insync.core.Insync;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import kafka.cluster.Partition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

/** A leader whose epoch is over answers like a follower until it is elected again. */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class EndedLeadershipTest {
    private static final int EPOCH = 5;

    @TempDir
    Path folder;
    private final List<Errors> answers = new ArrayList<>();

    @AfterEach
    void noFailureOfOurs() {
        assertEquals("", Insync.current().failures.last());
    }

    @Test
    void clientsAreSentOn() throws Exception {
        try (Leader leader = new Leader(folder, true)) {
            leader.appendUpTo(10);
            assertEquals(Errors.NONE, ack(leader, 10)._2(), "it waits for followers");
            assertEquals(false, ack(leader, 10)._1());

            over(leader, EPOCH + 1);
            assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, ack(leader, 10)._2());
            assertEquals(true, ack(leader, 0)._1(), "committed records are acknowledged");
            assertEquals(Errors.NONE, ack(leader, 0)._2());
            assertThrows(NotLeaderOrFollowerException.class, () -> StepDownParts.produce(leader.partition()));
            leader.fetch(0, answers);
            assertEquals(List.of(Errors.NOT_LEADER_OR_FOLLOWER), answers);
        }
    }

    /**
     * To become a follower the broker waits for an append or a read that hangs, and threads that ask for the partition's lock
     * wait behind it. A fetch of several partitions that expires or gets records asks each of them, and isr-expiration too.
     */
    @Test
    void nobodyWaitsForTheLockOfAPartitionGivenAway() throws Exception {
        try (Leader leader = new Leader(folder, true)) {
            leader.appendUpTo(10);
            over(leader, EPOCH + 1);
            Partition partition = leader.partition();
            ReadWriteLock lock = lockOf(partition);
            lock.writeLock().lock();
            try {
                assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
                    assertThrows(NotLeaderOrFollowerException.class,
                        () -> partition.fetchOffsetSnapshot(Optional.of(EPOCH), true));
                    assertThrows(NotLeaderOrFollowerException.class,
                        () -> partition.fetchOffsetForTimestamp(0, Option.empty(), Optional.of(EPOCH), true, Option.empty()));
                    partition.maybeShrinkIsr();
                });
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    @Test
    void anEpochThatCameLaterIsNotOver() throws Exception {
        try (Leader leader = new Leader(folder, true)) {
            over(leader, EPOCH + 1);
            leader.elect(EPOCH + 1);
            leader.appendUpTo(10);
            leader.fetch(0, answers);
            assertEquals(List.of(Errors.NONE), answers);
            assertEquals(Errors.NONE, ack(leader, 10)._2());
            StepDownParts.produce(leader.partition());
        }
    }

    private static scala.Tuple2<Object, Errors> ack(Leader leader, long offset) {
        return leader.partition().checkEnoughReplicasReachOffset(offset);
    }

    private static ReadWriteLock lockOf(Partition partition) throws ReflectiveOperationException {
        Field lock = Partition.class.getDeclaredField("leaderIsrUpdateLock");
        lock.setAccessible(true);
        return (ReadWriteLock) lock.get(partition);
    }

    private static void over(Leader leader, int over) {
        ((LeadershipHooks.Carrier) leader.partition()).insync$over(over);
    }
}
