package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import insync.agent.stepdown.controller.AutomaticElections;
import insync.core.Insync;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterPartitionRequestData.BrokerState;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.controller.PartitionChangeBuilder;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * During the cool-down after a step-down the controller's automatic preferred elections do not elect the ex-leader.
 * A requested election does, and so does an election that would otherwise leave the partition without a leader.
 */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class CooldownTest {
    private static final int TAG = 10_501;
    private final Uuid topic = Uuid.randomUuid();

    @AfterEach
    void noFailureOfOurs() {
        AutomaticElections.restoring(false);
        assertEquals("", Insync.current().failures().last());
    }

    @Test
    void theControllerAloneDoesNotBringItBack() {
        stepDown(60_000);
        AutomaticElections.restoring(true);
        assertFalse(preferred(id -> true).isPresent());
        AutomaticElections.restoring(false);
        assertEquals(1, preferred(id -> true).get().leader(), "an operator's election");
    }

    @Test
    void aPartitionWhoseLeaderIsGoneIsNotLeftAlone() {
        stepDown(60_000);
        AutomaticElections.restoring(true);
        assertEquals(1, preferred(id -> id != 2).get().leader());
    }

    @Test
    void withoutACooldownNothingIsHeldUp() {
        stepDown(0);
        AutomaticElections.restoring(true);
        assertEquals(1, preferred(id -> true).get().leader());
    }

    /** Broker 1, the preferred leader, steps down in favour of broker 2. */
    private void stepDown(long cooldownMs) {
        BrokerState last = new BrokerState().setBrokerId(1).setBrokerEpoch(-1);
        last.unknownTaggedFields().add(new RawTaggedField(TAG,
            ByteBuffer.allocate(9).put((byte) 0).putLong(cooldownMs).array()));
        PartitionChangeRecord change = (PartitionChangeRecord) StepDownParts
            .changeBuilder(led(1), topic, 1, id -> true)
            .setTargetIsrWithBrokerStates(List.of(new BrokerState().setBrokerId(2).setBrokerEpoch(-1), last))
            .build().get().message();
        assertEquals(2, change.leader());
    }

    private Optional<PartitionChangeRecord> preferred(IntPredicate mayLead) {
        return StepDownParts.changeBuilder(led(2), topic, 1, mayLead)
            .setElection(PartitionChangeBuilder.Election.PREFERRED).build()
            .map(record -> (PartitionChangeRecord) record.message()).filter(record -> record.leader() >= 0);
    }

    private static PartitionRegistration led(int leader) {
        return new PartitionRegistration.Builder().setReplicas(new int[] {1, 2})
            .setDirectories(new Uuid[] {Uuid.randomUuid(), Uuid.randomUuid()}).setIsr(new int[] {2, 1}).setLeader(leader)
            .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED).setLeaderEpoch(5).setPartitionEpoch(7).build();
    }
}
