package insync.core.stepdown;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import insync.core.events.RecordedEvents;
import insync.core.log.BrokerLog;
import insync.core.log.StepDownReport;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The events and figures of step-downs have fixed names, because others read them. */
class StepDownEventsTest {
    @Test
    void everyDecisionIsAnEventOnce() {
        RecordedEvents events = new RecordedEvents();
        WatchedBroker broker = new WatchedBroker(WatchedBroker.settings().budgetPerMinute(1),
            new StepDownReport(new BrokerLog(), events));
        FakePartition first = broker.leads("events", 0);
        FakePartition second = broker.leads("events", 1);
        broker.tick();
        broker.stall(first, second);
        broker.passT();
        broker.pass(10_000);
        broker.grant(broker.acted.get(0));
        broker.toSecond.sent();
        broker.pass(WatchedBroker.FETCH_WAIT_MS);
        broker.passT();
        List<JsonObject> lines = events.all;
        assertEquals(List.of("leader_slow", "step_down", "step_down_withheld", "step_down_answered", "peer_slow"),
            lines.stream().map(line -> line.get("type").getAsString()).collect(Collectors.toList()));
        assertEquals("[1,2,0]", lines.get(1).get("isr").toString());
        assertEquals(1, lines.get(1).get("successor").getAsInt());
        assertEquals("keep-last", lines.get(1).get("isr_policy").getAsString());
        assertEquals("budget_spent", lines.get(2).get("reason").getAsString());
        assertTrue(lines.get(2).get("pending_ms").getAsLong() > WatchedBroker.T_MS);
        assertEquals("done", lines.get(3).get("outcome").getAsString());
        assertEquals("test", lines.get(3).get("way").getAsString());
        assertTrue(lines.get(3).get("error").isJsonNull());
        assertEquals(1, lines.get(3).get("successor").getAsInt());
        assertEquals("keep-last", lines.get(3).get("isr_policy").getAsString());
        assertTrue(lines.get(3).get("asked_ms").getAsLong() >= 10_000);
        assertEquals(2, lines.get(4).get("peer").getAsInt());
    }

    @Test
    void theEventOfASlowAppendNamesItsSite() {
        RecordedEvents events = new RecordedEvents();
        StepDownLines.slowAppend(new StepDownReport(new BrokerLog(), events));
        JsonObject stepDown = events.all.get(1);
        assertEquals("slow_append", stepDown.get("reason").getAsString());
        assertEquals("log", stepDown.get("site").getAsString());
    }

    @Test
    void theFiguresHaveNames() {
        StepDownStats stats = new StepDownStats(WatchedBroker.QUIET);
        stats.decided(Reason.SLOW_FETCH);
        stats.decided(Reason.PEERS_SLOW);
        stats.ended(Outcome.DONE);
        assertEquals(1L, stats.toMap().get("asked"));
        assertEquals(1L, stats.toMap().get("withheld"));
        assertEquals(1L, ((Map<?, ?>) stats.toMap().get("withheld_by")).get("peers_slow"));
        assertEquals(1L, stats.toMap().get("done"));
    }
}
