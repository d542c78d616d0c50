package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.stepdown.broker.AppendHooks;
import insync.agent.stepdown.broker.LeadershipHooks;
import insync.core.stepdown.AppendMark;
import insync.core.stepdown.AppendSite;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A step-down because of an append that hangs, on the broker's real classes: another thread has the log's lock, as one that deletes
 * or rolls a segment. No fetch is slow.
 */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class SlowAppendFlowTest extends WatchedLeader {
    private static final long APPEND_MS = 500;

    private final CountDownLatch stall = new CountDownLatch(1);
    private Thread locks = new Thread(() -> { }, "none");
    private Thread appends = new Thread(() -> { }, "none");

    @Override
    void endStalls() throws Exception {
        stall.countDown();
        locks.join(10_000);
        appends.join(10_000);
        assertFalse(appends.isAlive());
    }

    @Test
    void theLeaderStepsDownWhileItsAppendHangs() throws Exception {
        start(true);
        anAppendHangs();
        FakeController.Asked asked = next();
        assertEquals(EPOCH, asked.alterPartition().leaderEpoch());
        String event = await(() -> line("step_down").orElse(null));
        assertTrue(event.contains("\"reason\":\"slow_append\"") && event.contains("\"site\":\"lock\""), event);

        asked.answerPartition(Errors.NEW_LEADER_ELECTED);
        assertTrue(answered().contains("\"outcome\":\"done\""));
        await(() -> ((LeadershipHooks.Carrier) (Object) leader.partition()).insync$over() > EPOCH ? leader : null);
        assertThrows(NotLeaderOrFollowerException.class, () -> StepDownParts.produce(leader.partition()));
        assertTrue(appends.isAlive(), "the append still hangs");
        nothingMoreIsAskedFor(4 * APPEND_MS);
    }

    @Test
    void aLeaderWhoseEpochIsOverDoesNotNameItselfToClients() throws Exception {
        start(true);
        assertEquals(Optional.of(Leader.LEADER), NamedLeader.of(leader), "the leader of an answer to a client");
        anAppendHangs();
        next().answerPartition(Errors.NEW_LEADER_ELECTED);
        assertTrue(answered().contains("\"outcome\":\"done\""));
        await(() -> ((LeadershipHooks.Carrier) (Object) leader.partition()).insync$over() > EPOCH ? leader : null);
        assertEquals(Optional.empty(), NamedLeader.of(leader), "it does not name itself");
    }

    /** The broker can become a follower only when the append has ended; the new leader's log has no such record. */
    @Test
    void theLateAppendEndsBeforeTheBrokerBecomesAFollower() throws Exception {
        start(true);
        anAppendHangs();
        next().answerPartition(Errors.NEW_LEADER_ELECTED);
        assertTrue(answered().contains("\"outcome\":\"done\""));
        Thread elects = new Thread(() -> leader.elect(SUCCESSOR, EPOCH + 1), "elects");
        elects.start();
        await(() -> elects.getState() == Thread.State.WAITING ? elects : null);
        assertTrue(leader.partition().isLeader(), "it waits for the append");
        stall.countDown();
        elects.join(10_000);
        appends.join(10_000);
        assertFalse(leader.partition().isLeader());
        assertEquals(EPOCH + 1, leader.partition().getLeaderEpoch());
        assertThrows(NotLeaderOrFollowerException.class, () -> StepDownParts.produce(leader.partition()));
    }

    /** A leader moves the high watermark when it has appended, and that takes the log's lock a second time. */
    @Test
    void anAppendMayWaitForTheLogsLockWhenItsRecordsAreInTheLog() throws Exception {
        start(true);
        AppendMark mark = AppendHooks.begin(leader.partition(), Leader.LEADER, leader.time);
        AppendHooks.enter(AppendSite.LOG);
        leader.appendUpTo(20);
        assertEquals(AppendSite.LOCK, AppendHooks.pending(Leader.LEADER).get(0).site);
        mark.end();
    }

    @Test
    void appendsAreNotTimedWhereThatIsOff() throws Exception {
        start(false);
        anAppendHangs();
        nothingMoreIsAskedFor(8 * APPEND_MS);
    }

    @Test
    void anAppendThatEndsInTimeIsNoReason() throws Exception {
        start(true);
        for (int i = 0; i < 100; i++) {
            StepDownParts.produce(leader.partition());
            leader.time.sleep(STEP_MS);
        }
        nothingMoreIsAskedFor(4 * APPEND_MS);
    }

    /** Turns the cool-down off, because this leader was elected a moment ago. */
    private void start(boolean appends) throws Exception {
        leader = new Leader(folder, APPEND_MS, Map.of("insync.relinquish.cooldown.ms", "0", "insync.appends.enable",
            String.valueOf(appends)), config -> StepDownParts.parts(config, controller));
        leader.appendUpTo(10);
    }

    private void anAppendHangs() throws Exception {
        Object lock = lockOf(leader.partition().localLogOrException());
        CountDownLatch locked = new CountDownLatch(1);
        locks = new Thread(() -> {
            synchronized (lock) {
                locked.countDown();
                try {
                    stall.await();
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            }
        }, "locks");
        locks.start();
        locked.await();
        appends = new Thread(() -> StepDownParts.produce(leader.partition()), "appends");
        appends.start();
        await(() -> appends.getState() == Thread.State.BLOCKED ? appends : null);
    }

    private static Object lockOf(Object log) throws ReflectiveOperationException {
        Field lock = log.getClass().getDeclaredField("lock");
        lock.setAccessible(true);
        return lock.get(log);
    }
}
