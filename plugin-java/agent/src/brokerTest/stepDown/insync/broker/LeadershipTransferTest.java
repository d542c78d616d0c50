package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import insync.agent.stepdown.controller.HeartbeatResponseHooks;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.message.BrokerHeartbeatResponseData;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.controller.PartitionChangeBuilder;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A leader's AlterPartition with the leader moved last, on a KRaft controller's real classes. A stock controller reorders
 * the ISR and keeps the leader; a woven one elects the successor. Run in both JVMs.
 */
class LeadershipTransferTest {
    private static final boolean WOVEN = "woven".equals(System.getProperty("insync.jvm"));
    private static final int UNCHANGED = -2;
    private static final int TAG = 10_501;
    private static final short VERSION = 3;

    /** A node that is a controller, too, tags what it gets from a controller without the agent. */
    @Test
    @EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
    void anAnswerIsAWovenControllersOnlyIfItsSenderTaggedIt() {
        BrokerHeartbeatResponseData answer = new BrokerHeartbeatResponseData();
        assertFalse(HeartbeatResponseHooks.isWoven(answer, "3"));
        HeartbeatResponseHooks.tag(answer, 3);
        assertTrue(HeartbeatResponseHooks.isWoven(answer, "3"));
        assertFalse(HeartbeatResponseHooks.isWoven(answer, "1"));
        HeartbeatResponseHooks.tag(answer, 1);
        assertTrue(HeartbeatResponseHooks.isWoven(answer, "3"), "it got there with the sender's");
        assertEquals(1, answer.unknownTaggedFields().size());
    }

    @Test
    void theSuccessorLeadsAndTheIsrIsKept() {
        PartitionChangeRecord change = change(partition(1, 2, 3), 2, id -> true, asked(false, 3, 2, 1));
        assertEquals(WOVEN ? 3 : UNCHANGED, change.leader());
        assertEquals(List.of(3, 2, 1), change.isr());
    }

    @Test
    void withoutTheTagTheOrderAloneSaysIt() {
        List<BrokerState> plain = new ArrayList<>();
        for (int id : new int[] {2, 3, 1}) {
            plain.add(new BrokerState().setBrokerId(id).setBrokerEpoch(-1));
        }
        assertEquals(WOVEN ? 2 : UNCHANGED, change(partition(1, 2, 3), 2, id -> true, plain).leader());
    }

    @Test
    void theExLeaderLeavesWhereItAsksToAndEnoughRemain() {
        PartitionChangeRecord left = change(partition(1, 2, 3), 2, id -> true, asked(true, 2, 3, 1));
        assertEquals(WOVEN ? List.of(2, 3) : List.of(2, 3, 1), left.isr());
        assertEquals(WOVEN ? 2 : UNCHANGED, left.leader());
        PartitionChangeRecord kept = change(partition(1, 2, 3), 3, id -> true, asked(true, 2, 3, 1));
        assertEquals(List.of(2, 3, 1), kept.isr(), "two are fewer than min.insync.replicas");
        assertEquals(WOVEN ? 2 : UNCHANGED, kept.leader());
    }

    @Test
    void whoMayNotLeadIsPassedOver() {
        assertEquals(WOVEN ? 3 : UNCHANGED,
            change(partition(1, 2, 3), 2, id -> id != 2, asked(false, 2, 3, 1)).leader());
        PartitionChangeRecord nobody = change(partition(1, 2, 3), 2, id -> id == 1, asked(true, 2, 3, 1));
        assertEquals(UNCHANGED, nobody.leader(), "the leader stays if no other broker may lead");
        assertEquals(List.of(2, 3, 1), nobody.isr());
    }

    /** Requests of stock brokers have the same result as on a stock controller. */
    @Test
    void shrinksAndExpansionsAreKafkasOwn() {
        PartitionChangeRecord shrink = change(partition(1, 2, 3), 2, id -> true, asked(false, 2, 1));
        assertEquals(UNCHANGED, shrink.leader());
        assertEquals(List.of(2, 1), shrink.isr());
        PartitionChangeRecord expansion = change(partition(1, 2), 2, id -> true, asked(false, 2, 3, 1));
        assertEquals(UNCHANGED, expansion.leader());
        assertEquals(List.of(2, 3, 1), expansion.isr());
    }

    @Test
    void aPartitionThatIsReassignedIsLeftAlone() {
        PartitionRegistration adding = new PartitionRegistration.Builder().setReplicas(new int[] {1, 2, 3, 4})
            .setDirectories(directories(4)).setIsr(new int[] {1, 2, 3}).setAddingReplicas(new int[] {4}).setLeader(1)
            .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED).setLeaderEpoch(5).setPartitionEpoch(7).build();
        assertEquals(UNCHANGED, change(adding, 2, id -> true, asked(true, 2, 3, 1)).leader());
    }

    /** A standby controller replays the record with Kafka's own merge and increases the leader epoch by one. */
    @Test
    void theRecordIsKafkasOwn() {
        PartitionRegistration before = partition(1, 2, 3);
        PartitionRegistration after = before.merge(change(before, 2, id -> true, asked(true, 2, 3, 1)));
        assertEquals(WOVEN ? 6 : 5, after.leaderEpoch);
        assertEquals(WOVEN ? 2 : 1, after.leader);
        assertEquals(8, after.partitionEpoch);
    }

    /** The tag survives serialization, and a member without a tag has none afterwards. */
    @Test
    void theTagIsReadBack() {
        AlterPartitionRequestData.PartitionData partition = new AlterPartitionRequestData.PartitionData()
            .setNewIsrWithEpochs(asked(true, 2, 3, 1));
        AlterPartitionRequestData.TopicData topic = new AlterPartitionRequestData.TopicData().setTopicId(Uuid.randomUuid());
        topic.partitions().add(partition);
        AlterPartitionRequestData sent = new AlterPartitionRequestData();
        sent.topics().add(topic);
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer wire = ByteBuffer.allocate(sent.size(cache, VERSION));
        sent.write(new ByteBufferAccessor(wire), cache, VERSION);
        wire.flip();
        List<BrokerState> read = new AlterPartitionRequestData(new ByteBufferAccessor(wire), VERSION)
            .topics().get(0).partitions().get(0).newIsrWithEpochs();
        assertEquals(0, read.get(0).unknownTaggedFields().size());
        assertEquals(TAG, read.get(2).unknownTaggedFields().get(0).tag());
        assertEquals(1, read.get(2).unknownTaggedFields().get(0).data()[0]);
        assertNull(change(partition(2, 3, 1), 2, id -> false, asked(false, 2, 3, 1)), "nothing changes");
    }

    private static PartitionChangeRecord change(PartitionRegistration partition, int minIsr, IntPredicate mayLead,
                                                List<BrokerState> asked) {
        PartitionChangeBuilder builder = StepDownParts.changeBuilder(partition, Uuid.randomUuid(), minIsr,
            id -> id == partition.leader || mayLead.test(id));
        return builder.setTargetIsrWithBrokerStates(asked).build()
            .map(record -> (PartitionChangeRecord) record.message()).orElse(null);
    }

    private static PartitionRegistration partition(int... isr) {
        return led(1, isr);
    }

    /** In leader epoch 5, partition epoch 7. */
    static PartitionRegistration led(int leader, int... isr) {
        return new PartitionRegistration.Builder().setReplicas(new int[] {1, 2, 3}).setDirectories(directories(3))
            .setIsr(isr).setLeader(leader).setLeaderRecoveryState(LeaderRecoveryState.RECOVERED).setLeaderEpoch(5)
            .setPartitionEpoch(7).build();
    }

    private static Uuid[] directories(int count) {
        Uuid[] all = new Uuid[count];
        java.util.Arrays.setAll(all, each -> Uuid.randomUuid());
        return all;
    }

    private static List<BrokerState> asked(boolean leaves, int... ids) {
        return asked(1_000L, leaves, ids);
    }

    static List<BrokerState> asked(long cooldownMs, boolean leaves, int... ids) {
        List<BrokerState> all = new ArrayList<>();
        for (int id : ids) {
            all.add(new BrokerState().setBrokerId(id).setBrokerEpoch(-1));
        }
        byte[] tag = ByteBuffer.allocate(9).put((byte) (leaves ? 1 : 0)).putLong(cooldownMs).array();
        all.get(ids.length - 1).unknownTaggedFields().add(new RawTaggedField(TAG, tag));
        return all;
    }
}
