package insync.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import insync.agent.broker.Brokers;
import insync.core.Insync;
import insync.core.events.EventLog;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The kill switch is there before the broker's parts are: an operator may use it while a broker starts. */
@EnabledIfSystemProperty(named = "insync.jvm", matches = "woven")
class KillSwitchTest extends WatchedLeader {

    @Override
    void endStalls() { }

    /** It counts as a failure, and holds for the JVM of the other tests. */
    @AfterEach
    void enable() throws Exception {
        Field disabled = Insync.class.getDeclaredField("disabled");
        disabled.setAccessible(true);
        disabled.setBoolean(null, false);
        Insync.install(new Insync(new EventLog()));
    }

    @Test
    void aBrokerThatStartsAfterwardsMarksNothingAndDoesNotWatch() throws Exception {
        Insync.disable("planted");
        leader = new Leader(folder, 500, Map.of(), config -> StepDownParts.parts(config, controller));
        leader.appendUpTo(10);
        List<Errors> answers = new ArrayList<>();
        leader.fetch(0, answers);
        assertEquals(1, answers.size());
        assertEquals(0, Insync.current().stats.marked.sum());
        assertFalse(Brokers.anyReadScope());
        assertFalse(Brokers.anyStepDown());
    }
}
