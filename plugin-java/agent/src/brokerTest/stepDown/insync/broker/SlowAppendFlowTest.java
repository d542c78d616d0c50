package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.kafka.KafkaClock;
import insync.agent.stepdown.broker.Appends;
import insync.agent.stepdown.broker.PartitionHooks.PartitionCarrier;
import insync.core.Insync;
import insync.core.isr.LeaderClock;
import insync.core.stepdown.AppendMark;
import insync.core.stepdown.AppendSite;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.storage.internals.log.OffsetIndex;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A step-down because of an append that hangs, on the broker's real classes: another thread has the log's lock, as one that deletes
 * or rolls a segment. No fetch is slow.
 */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class SlowAppendFlowTest extends WatchedLeader {
    private static final long APPEND_MS = 500;
    /** So long that no fetch is slow, and not so long that the watch looks rarely. */
    private static final long FETCH_MS = 5_000;

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
        start(APPEND_MS);
        anAppendHangs();
        FakeController.Asked asked = next();
        assertEquals(EPOCH, asked.alterPartition().leaderEpoch());
        String event = await(() -> line("step_down").orElse(null));
        assertTrue(event.contains("\"reason\":\"slow_append\"") && event.contains("\"site\":\"log_lock\""), event);

        asked.answerPartition(Errors.NEW_LEADER_ELECTED);
        assertTrue(answered().contains("\"outcome\":\"done\""));
        await(() -> ((PartitionCarrier) (Object) leader.partition()).insync$over() > EPOCH ? leader : null);
        assertThrows(NotLeaderOrFollowerException.class, () -> StepDownParts.produce(leader.partition()));
        assertTrue(appends.isAlive(), "the append still hangs");
        nothingMoreIsAskedFor(4 * APPEND_MS);
    }

    @Test
    void aLeaderWhoseEpochIsOverDoesNotNameItselfToClients() throws Exception {
        start(APPEND_MS);
        assertEquals(Optional.of(Leader.LEADER), NamedLeader.of(leader), "the leader of an answer to a client");
        anAppendHangs();
        next().answerPartition(Errors.NEW_LEADER_ELECTED);
        assertTrue(answered().contains("\"outcome\":\"done\""));
        await(() -> ((PartitionCarrier) (Object) leader.partition()).insync$over() > EPOCH ? leader : null);
        assertEquals(Optional.empty(), NamedLeader.of(leader), "it does not name itself");
    }

    /** The broker can become a follower only when the append has ended; the new leader's log has no such record. */
    @Test
    void theLateAppendEndsBeforeTheBrokerBecomesAFollower() throws Exception {
        start(APPEND_MS);
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
        start(APPEND_MS);
        AppendMark mark = Appends.begin(leader.partition(), leader.time);
        leader.appendUpTo(20);
        assertEquals(AppendSite.LOG_LOCK, Appends.enter(AppendSite.LOG));
        mark.end();
    }

    /** Where an append rolls the log it makes an index's file and cuts another one's, which are calls that may hang. */
    @Test
    void theFileOfAnIndexIsTheSiteIndex() throws Exception {
        start(APPEND_MS);
        AppendMark mark = Appends.begin(leader.partition(), leader.time);
        Appends.enter(AppendSite.ROLL);
        SiteOfFile file = new SiteOfFile(folder.resolve("00000000000000000010.index").toFile());
        OffsetIndex index = new OffsetIndex(file, 10, 1024);
        assertEquals(EnumSet.of(AppendSite.INDEX), file.created);
        index.trimToValidSize();
        assertTrue(file.named.contains(AppendSite.INDEX), "the call that opens the file to cut it");
        assertEquals(AppendSite.ROLL, Appends.enter(AppendSite.LOG));
        mark.end();
        index.close();
    }

    /** Notes at which site of this thread's append the file is made, and asked for its name to be opened. */
    private static final class SiteOfFile extends File {
        private static final long serialVersionUID = 1;
        private final transient Set<AppendSite> created = EnumSet.noneOf(AppendSite.class);
        private final transient Set<AppendSite> named = EnumSet.noneOf(AppendSite.class);

        SiteOfFile(File file) {
            super(file.getPath());
        }

        @Override
        public boolean createNewFile() throws IOException {
            note(created);
            boolean made = super.createNewFile();
            named.clear();
            return made;
        }

        @Override
        public String getPath() {
            note(named);
            return super.getPath();
        }

        private static void note(Set<AppendSite> sites) {
            AppendSite now = Appends.enter(AppendSite.LOG);
            if (now != null) {
                sites.add(now);
                Appends.leave(now);
            }
        }
    }

    @Test
    void appendsAreNotTimedByDefault() throws Exception {
        start(-1);
        anAppendHangs();
        nothingMoreIsAskedFor(8 * APPEND_MS);
    }

    @Test
    void anAppendThatEndsInTimeIsNoReason() throws Exception {
        start(APPEND_MS);
        for (int i = 0; i < 100; i++) {
            StepDownParts.produce(leader.partition());
            leader.time.sleep(STEP_MS);
        }
        nothingMoreIsAskedFor(4 * APPEND_MS);
    }

    /** Appends that end in no time teach the least T, and the append that hangs then is slow by it. */
    @Test
    void theLimitIsLearntFromTheAppendsThatEnd() throws Exception {
        learnALimit();
        anAppendHangs();
        next();
        String event = await(() -> line("step_down").orElse(null));
        assertTrue(event.contains("\"limit_site\":\"append\",\"limit_ms\":200,\"limit_paused_ms\":0"), event);
    }

    /** The process is paused all the time, by a clock that nobody ticks. */
    @Test
    void pausesOfTheProcessMakeALearntLimitLongerUpToItsBound() throws Exception {
        learnALimit();
        LeaderClock paused = new LeaderClock(new KafkaClock(leader.time));
        Insync.current().stats().leaderClock(paused);
        try {
            anAppendHangs();
            next();
            String event = await(() -> line("step_down").orElse(null));
            assertTrue(event.contains("\"limit_ms\":200,\"limit_paused_ms\":" + (APPEND_MS - 200)), event);
        } finally {
            Insync.current().stats().leaderClockStops(paused);
        }
    }

    private void learnALimit() throws Exception {
        start(APPEND_MS, Map.of("leader.fetch.process.time.mode", "auto", "leader.fetch.process.time.min.ms", "200",
            "leader.fetch.process.time.window.ms", "1000"));
        assertEquals(APPEND_MS, Insync.current().stepDowns().appendLimitMs(), "too little is known");
        await(() -> {
            for (int i = 0; i < 20; i++) {
                StepDownParts.produce(leader.partition());
            }
            return Insync.current().stepDowns().appendLimitMs() == 200 ? leader : null;
        });
    }

    private void start(long appendMs) throws Exception {
        start(appendMs, Map.of());
    }

    /** Turns the cool-down off, because this leader was elected a moment ago. */
    private void start(long appendMs, Map<String, String> more) throws Exception {
        Map<String, String> configs = new HashMap<>(more);
        configs.put("leader.relinquish.cooldown.ms", "0");
        configs.put("leader.append.process.time.max.ms", String.valueOf(appendMs));
        leader = new Leader(folder, FETCH_MS, configs, config -> StepDownParts.parts(config, controller));
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
