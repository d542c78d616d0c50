package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.broker.Brokers;
import insync.core.Insync;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.BrokerHeartbeatRequest;
import org.apache.kafka.common.requests.BrokerHeartbeatResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.mockito.Mockito;

/**
 * A step-down from end to end on the broker's real classes: a stalled read, the watch, Kafka's own manager of
 * AlterPartition requests, and a {@link FakeController} with each possible answer. The mock clock follows real time,
 * because the watch is a thread.
 */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class StepDownFlowTest extends WatchedLeader {
    /** The KIP's example: no more than the time for which the fetch may wait for records. */
    private static final long T_MS = 500;

    /** A broker that has just started may take longer for as many fetches. */
    private static final int FIRST_FETCHES = 20;

    private final List<Errors> fetched = new CopyOnWriteArrayList<>();
    private final List<Errors> acked = new CopyOnWriteArrayList<>();
    private final CountDownLatch stall = new CountDownLatch(1);
    /** What the answer to the produce request waits for. */
    private final ReentrantLock coordinator = new ReentrantLock();
    /** The offset after the last record that the follower has fetched. */
    private long end;
    private Thread reader = new Thread(() -> { }, "none");

    @Override
    void endStalls() throws Exception {
        stall.countDown();
        reader.join(10_000);
    }

    @Test
    void theRequestIsTheKipsAndTheClientsAreFreedWhileTheReadStalls() throws Exception {
        stallARead(Map.of("insync.relinquish.isr", "leave"));
        FakeController.Asked asked = next();
        assertEquals(EPOCH, asked.alterPartition().leaderEpoch());
        assertEquals(EPOCH, asked.alterPartition().partitionEpoch());
        List<BrokerState> isr = asked.alterPartition().newIsrWithEpochs();
        assertEquals(List.of(SUCCESSOR, 1003, Leader.LEADER),
            isr.stream().map(BrokerState::brokerId).collect(Collectors.toList()));
        assertEquals(1, isr.get(2).unknownTaggedFields().get(0).data()[0], "it requests to leave the ISR");

        asked.answerPartition(Errors.NEW_LEADER_ELECTED);
        await(() -> acked.isEmpty() ? null : acked);
        assertEquals(List.of(Errors.NOT_LEADER_OR_FOLLOWER), acked, "the produce request that waited");
        assertThrows(NotLeaderOrFollowerException.class, () -> StepDownParts.produce(leader.partition()));
        String answer = answered();
        for (String field : List.of("\"topic\":\"events\"", "\"partition\":0", "\"leader_epoch\":" + EPOCH,
                "\"successor\":" + SUCCESSOR, "\"isr_policy\":\"leave\"", "\"outcome\":\"done\"",
                "\"way\":\"alter-partition\"", "\"error\":null", "\"pending_ms\":", "\"asked_ms\":", "\"t_ms\":")) {
            assertTrue(answer.contains(field), () -> field + " in " + answer);
        }
        assertEquals(List.of(), fetched, "the read still stalls");
        nothingMoreIsAskedFor(4 * T_MS);
    }

    @Test
    void theFirstFetchesOfABrokerAreNoReasonToStepDownAtT() throws Exception {
        startCold(Map.of());
        stallARead();
        nothingMoreIsAskedFor(4 * T_MS);
        assertTrue(line("leader_slow").isEmpty(), () -> "events: " + lines());
    }

    @Test
    void onAStockControllerTheBrokerAsksToBeFencedUntilItCanServe() throws Exception {
        stallARead(Map.of());
        assertFalse(asksToBeFenced());
        next().answerPartition(Errors.NONE);
        await(() -> asksToBeFenced() ? true : null);
        BrokerHeartbeatRequestData leaving = heartbeat().setWantShutDown(true);
        assertFalse(new BrokerHeartbeatRequest.Builder(leaving).build().data().wantFence(), "a broker that shuts down leaves anyway");
        controller.publish(SUCCESSOR, EPOCH + 1);
        assertTrue(answered().contains("\"outcome\":\"done\",\"way\":\"fence\""));
        await(() -> acked.isEmpty() ? null : acked);
        assertEquals(List.of(Errors.NOT_LEADER_OR_FOLLOWER), acked, "the produce request that waited");
        stall.countDown();
        reader.join();
        nothingMoreIsAskedFor(4 * T_MS);
        assertTrue(asksToBeFenced(), "it has not applied who leads");
        leader.partition().delete();
        await(() -> asksToBeFenced() ? null : true);
        assertTrue(await(() -> fencing("ended")).contains("\"asked_ms\":"));
    }

    @Test
    void aBrokerThatOnlyFencesItselfSendsNoOtherRequest() throws Exception {
        stallARead(Map.of("insync.relinquish.via", "fence"));
        await(() -> asksToBeFenced() ? true : null);
        assertTrue(controller.asked.isEmpty());
    }

    /** The controller is away, and when it returns the read may still hang. */
    @Test
    void aBrokerWhoseReadHangsDoesNotCeaseToAsk() throws Exception {
        stallARead(Map.of("insync.relinquish.via", "fence"));
        await(() -> asksToBeFenced() ? true : null);
        nothingMoreIsAskedFor(4 * T_MS);
        assertTrue(asksToBeFenced());
    }

    /** The controller was away, and nobody leads in its place. Its heartbeats do not name a wish that is over. */
    @Test
    void aBrokerThatIsWellAgainIsNotFencedLate() throws Exception {
        stallARead(Map.of("insync.relinquish.via", "fence"));
        await(() -> asksToBeFenced() ? true : null);
        BrokerHeartbeatRequest.Builder waiting = new BrokerHeartbeatRequest.Builder(heartbeat());
        assertTrue(waiting.build().data().wantFence());
        stall.countDown();
        reader.join();
        await(() -> asksToBeFenced() ? null : true);
        assertFalse(waiting.build().data().wantFence(), "built before, sent now");
    }

    /** A controller that is too busy answers a heartbeat with an error, of which Kafka's default says that the broker is fenced. */
    @Test
    void anErrorInsteadOfAnAnswerToAHeartbeatGrantsNothing() throws Exception {
        stallARead(Map.of("insync.relinquish.via", "fence"));
        await(() -> asksToBeFenced() ? true : null);
        answerHeartbeat(new BrokerHeartbeatResponseData().setErrorCode(Errors.REQUEST_TIMED_OUT.code()));
        nothingMoreIsAskedFor(2 * T_MS);
        assertEquals(List.of(), acked, "the produce request still waits");
        assertEquals(0, Insync.current().stepDowns.fenced.sum());
        answerHeartbeat(new BrokerHeartbeatResponseData().setIsFenced(true));
        await(() -> acked.isEmpty() ? null : acked);
        assertEquals(1, Insync.current().stepDowns.fenced.sum());
    }

    private static void answerHeartbeat(BrokerHeartbeatResponseData data) {
        ClientResponse answer = Mockito.mock(ClientResponse.class);
        Mockito.when(answer.responseBody()).thenReturn(new BrokerHeartbeatResponse(data));
        Brokers.stepDown(Leader.LEADER).answered(answer);
    }

    /** Its thread that applies metadata waits for the read's lock. If it were elected elsewhere, nobody would serve that partition. */
    @Test
    void aBrokerThatDoesNotApplyAHandOverAsksToBeFencedUntilItHas() throws Exception {
        handOver(Map.of());
        long since = leader.time.milliseconds();
        assertFalse(asksToBeFenced());
        await(() -> asksToBeFenced() ? true : null);
        assertTrue(leader.time.milliseconds() - since >= 3 * T_MS);
        assertTrue(await(() -> fencing("asked")).contains("\"why\":\"it has not applied"));
        stall.countDown();
        reader.join();
        leader.time.sleep(4 * T_MS);
        nothingMoreIsAskedFor(4 * T_MS);
        assertTrue(asksToBeFenced());
        leader.elect(SUCCESSOR, EPOCH + 1);
        await(() -> asksToBeFenced() ? null : true);
    }

    @Test
    void underTheKipAloneABrokerThatDoesNotApplyAHandOverDoesNotAsk() throws Exception {
        handOver(Map.of("insync.relinquish.via", "alter-partition"));
        nothingMoreIsAskedFor(10 * T_MS);
        assertFalse(asksToBeFenced());
    }

    private void handOver(Map<String, String> configs) throws Exception {
        stallARead(configs);
        next().answerPartition(Errors.NEW_LEADER_ELECTED);
        controller.publish(SUCCESSOR, EPOCH + 1);
        assertTrue(answered().contains("\"outcome\":\"done\",\"way\":\"alter-partition\""));
    }

    /** The other directory may work, and fencing would take its partitions, too. */
    @Test
    void aBrokerWithSeveralLogDirectoriesHandsOverAndIsNotFenced() throws Exception {
        handsOverAndIsNotFenced("log.dirs");
    }

    @Test
    void kafkasConfigForOneLogDirectoryMayNameSeveral() throws Exception {
        handsOverAndIsNotFenced("log.dir");
    }

    private void handsOverAndIsNotFenced(String config) throws Exception {
        stallARead(Map.of(config, folder.resolve("first") + "," + folder.resolve("second")));
        next().answerPartition(Errors.NONE);
        assertTrue(answered().contains("\"outcome\":\"refused\",\"way\":\"fence\",\"error\":\"not fenced: the broker has 2 log dir"));
        next().answerPartition(Errors.NONE);
        next().answerPartition(Errors.NEW_LEADER_ELECTED);
        await(() -> lines().stream().anyMatch(line -> line.contains("\"outcome\":\"done\"")) ? true : null);
        nothingMoreIsAskedFor(10 * T_MS);
        assertFalse(asksToBeFenced());
        assertEquals(1, lines().stream().filter(line -> line.contains("\"state\":\"withheld\"")).count(), "it says so once");
    }

    private static BrokerHeartbeatRequestData heartbeat() {
        return new BrokerHeartbeatRequestData().setBrokerId(Leader.LEADER);
    }

    private static boolean asksToBeFenced() {
        return new BrokerHeartbeatRequest.Builder(heartbeat()).build().data().wantFence();
    }

    private String fencing(String state) {
        return lines().stream().filter(line -> line.contains("\"type\":\"fencing\",\"state\":\"" + state)).findFirst().orElse(null);
    }

    @Test
    void whoIsNoControllerIsAskedNoMoreAndTheNextOneIs() throws Exception {
        stallARead(Map.of());
        next().answerAll(Errors.NOT_CONTROLLER);
        FakeController.Asked again = next();
        assertEquals(EPOCH, again.alterPartition().leaderEpoch());
        again.answerPartition(Errors.NEW_LEADER_ELECTED);
        assertTrue(answered().contains("\"outcome\":\"done\""));
    }

    @Test
    void aDeadControllerHangsNothingAndWhatItsSuccessorDoesIsSeenInTheMetadata() throws Exception {
        stallARead(Map.of());
        next();
        controller.publish(1003, EPOCH + 1);
        assertTrue(answered().contains("\"outcome\":\"done\""));
        await(() -> acked.isEmpty() ? null : acked);
        assertEquals(List.of(Errors.NOT_LEADER_OR_FOLLOWER), acked);
    }

    /** Kafka repeats the request until a controller answers, perhaps when this broker is long well again. */
    @Test
    void aControllerThatReturnsLateMovesNothing() throws Exception {
        stallARead(Map.of());
        FakeController.Asked asked = next();
        assertEquals(Leader.LEADER, last(asked).brokerId());
        assertFalse(last(asked).unknownTaggedFields().isEmpty());
        leader.time.sleep(31_000);
        List<BrokerState> isr = asked.alterPartition().newIsrWithEpochs();
        assertEquals(List.of(Leader.LEADER, SUCCESSOR, 1003), isr.stream().map(BrokerState::brokerId).collect(Collectors.toList()));
        assertTrue(isr.get(0).unknownTaggedFields().isEmpty());
    }

    @Test
    void aControllerThatAnswersLateFencesNobody() throws Exception {
        stallARead(Map.of());
        FakeController.Asked asked = next();
        stall.countDown();
        reader.join();
        leader.time.sleep(31_000);
        asked.answerPartition(Errors.NONE);
        nothingMoreIsAskedFor(4 * T_MS);
        assertFalse(asksToBeFenced());
    }

    /** Kafka keeps it in its queue, whatever becomes of the feature. */
    @Test
    void aRequestThatWaitsWhenTheFeatureIsTurnedOffMovesNothing() throws Exception {
        stallARead(Map.of());
        FakeController.Asked asked = next();
        assertEquals(Leader.LEADER, last(asked).brokerId());
        leader.stopWatch();
        assertEquals(Leader.LEADER, asked.alterPartition().newIsrWithEpochs().get(0).brokerId());
    }

    private static BrokerState last(FakeController.Asked asked) {
        List<BrokerState> isr = asked.alterPartition().newIsrWithEpochs();
        return isr.get(isr.size() - 1);
    }

    /** In 3.x it is a group's lock, which a thread has whose append for the group hangs. */
    @Test
    void theWatchDoesNotWaitForALockThatTheAnswerToACoordinatorTakes() throws Exception {
        stallARead(Map.of());
        next();
        coordinator.lock();
        try {
            controller.publish(1003, EPOCH + 1);
            await(() -> coordinator.hasQueuedThreads() ? true : null);
            assertTrue(Thread.getAllStackTraces().keySet().stream()
                .noneMatch(each -> each.getName().equals("insync-step-down") && coordinator.hasQueuedThread(each)));
        } finally {
            coordinator.unlock();
        }
        await(() -> acked.isEmpty() ? null : acked);
        assertEquals(List.of(Errors.NOT_LEADER_OR_FOLLOWER), acked);
    }

    @Test
    void aLostAnswerIsNoRefusal() throws Exception {
        stallARead(Map.of());
        next().answerPartition(Errors.FENCED_LEADER_EPOCH);
        controller.publish(SUCCESSOR, EPOCH + 1);
        assertTrue(answered().contains("\"outcome\":\"done\",\"way\":\"alter-partition\",\"error\":null"));
    }

    @Test
    void anEpochThatIsOverForAnotherReasonIsARefusal() throws Exception {
        stallARead(Map.of());
        next().answerPartition(Errors.FENCED_LEADER_EPOCH);
        controller.publish(Leader.LEADER, EPOCH + 1);
        assertTrue(answered().contains("\"outcome\":\"refused\",\"way\":\"alter-partition\",\"error\":\"FENCED_LEADER"));
    }

    @Test
    void whatIsRefusedIsAskedForAgainAfterT() throws Exception {
        stallARead(Map.of());
        next().answerPartition(Errors.INELIGIBLE_REPLICA);
        assertTrue(answered().contains("\"outcome\":\"refused\",\"way\":\"alter-partition\",\"error\":\"INELIGIBLE_REP"));
        long before = leader.time.milliseconds();
        next().answerPartition(Errors.NEW_LEADER_ELECTED);
        assertTrue(leader.time.milliseconds() - before >= T_MS - 2 * STEP_MS);
    }

    @Test
    void ofATopicThatIsDeletedNothingMoreIsAsked() throws Exception {
        stallARead(Map.of());
        next().answerPartition(Errors.UNKNOWN_TOPIC_ID);
        assertTrue(answered().contains("\"error\":\"UNKNOWN_TOPIC_ID\""));
        stall.countDown();
        reader.join();
        leader.partition().delete();
        nothingMoreIsAskedFor(4 * T_MS);
    }

    @Test
    void aPartitionThatIsReassignedIsLeftAlone() throws Exception {
        start(Map.of());
        leader.addReplica(1004, EPOCH + 1);
        stallARead();
        await(() -> line("step_down_withheld").orElse(null));
        assertTrue(line("step_down_withheld").get().contains("\"reason\":\"changing\""));
        nothingMoreIsAskedFor(4 * T_MS);
    }

    /** Kafka needs the stalled read's lock to handle the response; it must not block the channel's thread meanwhile. */
    @Test
    void anAnswerToAnIsrChangeOfAStalledPartitionDoesNotHoldTheChannel() throws Exception {
        start(Map.of());
        leader.time.sleep(Leader.LAG_MS + 1);
        leader.partition().maybeShrinkIsr();
        FakeController.Asked shrink = next();
        stallARead();
        await(() -> reader.getState() == Thread.State.WAITING ? reader : null);
        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> shrink.answerPartition(Errors.NONE));
        assertTrue(leader.partition().partitionState().isInflight(), "the response is not handled yet");
        stall.countDown();
        await(() -> leader.partition().inSyncReplicaIds().size() == 1 ? true : null);
    }

    /** What KIP-501 rejects: the leader relinquishes because a read failed, at once. */
    @Test
    void aReadErrorIsEnoughForALeaderThatRelinquishesOnly() throws Exception {
        relinquishOnly();
        failARead();
        assertEquals(EPOCH, next().alterPartition().leaderEpoch());
        String asked = await(() -> line("step_down").orElse(null));
        assertTrue(asked.contains("\"reason\":\"read_error\"") && asked.contains("\"pending_ms\":0"), asked);
    }

    @Test
    void aReadErrorIsNoReasonToStepDownUnderSolutionTwo() throws Exception {
        start(Map.of());
        failARead();
        nothingMoreIsAskedFor(4 * T_MS);
    }

    @Test
    void aLeaderThatRelinquishesOnlyKeepsNobodyInTheIsr() throws Exception {
        relinquishOnly();
        stallARead();
        await(() -> reader.getState() == Thread.State.WAITING ? reader : null);
        leader.time.sleep(Leader.LAG_MS + 1);
        assertTrue(leader.followerIsOutOfSync());
    }

    private void relinquishOnly() throws Exception {
        leader = new Leader(folder, Leader.LAG_MS, Map.of("insync.lab.relinquish.only.enable", "true",
            "insync.relinquish.cooldown.ms", "0", "follower.fetch.pending.reads.insync.enable", "false"),
            config -> StepDownParts.parts(config, controller));
    }

    private void failARead() throws Exception {
        leader.appendUpTo(end + 10);
        leader.duringRead(() -> {
            throw new IllegalStateException("disk");
        });
        leader.fetch(end, fetched);
        assertEquals(List.of(Errors.UNKNOWN_SERVER_ERROR), fetched);
        leader.duringRead(() -> { });
    }

    private void stallARead(Map<String, String> configs) throws Exception {
        start(configs);
        stallARead();
    }

    /** Starts a leader that has served its first fetches. */
    private void start(Map<String, String> configs) throws Exception {
        startCold(configs);
        for (; end < FIRST_FETCHES; end++) {
            leader.appendUpTo(end + 1); // else the next fetch is behind the previous end, and none of those that count
            leader.fetch(end, fetched);
        }
        assertEquals(FIRST_FETCHES, Insync.current().stats.released.sum());
        fetched.clear();
    }

    /** Turns the cool-down off, because this leader was elected a moment ago. */
    private void startCold(Map<String, String> configs) throws Exception {
        Map<String, String> all = new HashMap<>(configs);
        all.put("insync.relinquish.cooldown.ms", "0");
        leader = new Leader(folder, T_MS, all, config -> StepDownParts.parts(config, controller));
    }

    /** Sends a produce request that waits for followers, one of which has a fetch whose read never ends. */
    private void stallARead() throws Exception {
        leader.appendUpTo(end + 10);
        leader.fetch(end, fetched);
        fetched.clear();
        StepDownParts.produceToAll(leader.replicas(), coordinator, acked::add);
        leader.duringRead(() -> {
            try {
                stall.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        reader = new Thread(() -> leader.fetch(end + 11, fetched), "reader");
        reader.setDaemon(true);
        reader.start();
    }
}
