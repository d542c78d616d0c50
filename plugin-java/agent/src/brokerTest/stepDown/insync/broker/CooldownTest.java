package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import insync.agent.stepdown.controller.AutomaticElections;
import insync.core.Insync;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.controller.PartitionChangeBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * During the cool-down after a step-down the controller's automatic preferred elections do not elect the ex-leader.
 * A requested election does, and so does an election that would otherwise leave the partition without a leader.
 */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class CooldownTest {
    private final Uuid topic = Uuid.randomUuid();

    @AfterEach
    void noFailureOfOurs() {
        AutomaticElections.restoring(false);
        assertEquals("", Insync.current().failures.last());
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
        PartitionChangeRecord change = (PartitionChangeRecord) StepDownParts
            .changeBuilder(LeadershipTransferTest.led(1, 2, 1), topic, 1, id -> true)
            .setTargetIsrWithBrokerStates(LeadershipTransferTest.asked(cooldownMs, false, 2, 1)).build().get().message();
        assertEquals(2, change.leader());
    }

    private Optional<PartitionChangeRecord> preferred(IntPredicate mayLead) {
        return StepDownParts.changeBuilder(LeadershipTransferTest.led(2, 2, 1), topic, 1, mayLead)
            .setElection(PartitionChangeBuilder.Election.PREFERRED).build()
            .map(record -> (PartitionChangeRecord) record.message()).filter(record -> record.leader() >= 0);
    }
}
