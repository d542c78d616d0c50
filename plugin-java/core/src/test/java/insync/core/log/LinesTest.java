package insync.core.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import insync.core.events.EventLog;
import insync.core.stepdown.StepDownLines;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What the log says of step-downs: the partition, the reason and the outcome. docs/operate/logs.md has these lines. */
class LinesTest {
    private static List<String> lines(int count, Consumer<StepDownReport> steps) throws InterruptedException {
        BrokerLogTest.Lines written = new BrokerLogTest.Lines();
        BrokerLog log = new BrokerLog();
        log.open(written);
        steps.accept(new StepDownReport(log, new EventLog()));
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(written.next().replace("insync.StepDown ", ""));
        }
        return all;
    }

    @Test
    void aStepDownAndItsEnd() throws Exception {
        assertEquals(List.of(
            "INFO [Partition events-0] This leader steps down (reason slow_fetch, leader epoch 0, a follower's fetch is overdue by "
                + "2500 ms): it asks the controller to make broker 1 the leader",
            "INFO [Partition events-0] The step-down in leader epoch 0 is done after 10000 ms by alter-partition"),
            lines(2, StepDownLines::granted));
    }

    @Test
    void aStepDownBecauseOfAnAppendSaysSoAndWhereItHangs() throws Exception {
        assertEquals(List.of("INFO [Partition events-0] This leader steps down (reason slow_append, leader epoch 0, an append has "
                + "been pending for 2500 ms at site log): it asks the controller to make broker 1 the leader"),
            lines(1, StepDownLines::slowAppend));
    }

    @Test
    void aStepDownThatTheControllerRefuses() throws Exception {
        assertEquals("WARN [Partition events-0] The step-down in leader epoch 0 ended as refused after 0 ms by fence: "
            + "INELIGIBLE_REPLICA", lines(2, StepDownLines::refused).get(1));
    }

    @Test
    void aStepDownThatARulePrevents() throws Exception {
        assertEquals(List.of("INFO [Partition events-0] This leader does not step down (reason no_successor, leader epoch 0, "
            + "a follower's fetch is overdue by 2500 ms)"), lines(1, StepDownLines::withheld));
    }
}
