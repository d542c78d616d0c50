package insync.core.isr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import insync.core.events.EventLog;
import insync.core.events.RecordedEvents;
import insync.core.log.BrokerLog;
import insync.core.log.HoldReport;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A hold is an event when it begins, with the fetch's site, and one when it ends: `insync why` reads their fields. */
class HoldEventsTest extends BothScopes {
    @Test
    void aHoldsBeginAndItsEndAreEvents() {
        RecordedEvents events = new RecordedEvents();
        stats.listeners(new HoldReport(new BrokerLog(), events));
        holdAndRelease();
        List<JsonObject> lines = events.all;
        assertEquals(2, lines.size());
        JsonObject begun = lines.get(0);
        assertEquals(List.of("type", "topic", "partition", "replica", "site", "pending_ms"),
            List.copyOf(begun.keySet()));
        assertEquals("hold", begun.get("type").getAsString());
        assertEquals(follower.topic(), begun.get("topic").getAsString());
        assertEquals(follower.partition(), begun.get("partition").getAsInt());
        assertEquals(FakeFollower.ID, begun.get("replica").getAsInt());
        assertEquals("read", begun.get("site").getAsString());
        assertEquals(LAG_MS + 1, begun.get("pending_ms").getAsLong());
        JsonObject ended = lines.get(1);
        assertEquals("hold_ended", ended.get("type").getAsString());
        assertEquals("read", ended.get("site").getAsString());
        assertTrue(ended.get("held_ms").getAsLong() >= 0);
    }

    @Test
    void withoutADestinationAHoldIsCountedAndNothingElse() {
        stats.listeners(new HoldReport(new BrokerLog(), new EventLog()));
        holdAndRelease();
        assertEquals(1, stats.holdsGranted(Hold.Site.READ));
    }

    private void holdAndRelease() {
        ReadScopeTracker tracker = new ReadScopeTracker(follower, reads, null);
        tracker.fetched(LEO, LEO);
        FetchMarks fetch = begin(tracker);
        pass(LAG_MS + 1);
        assertTrue(holds(tracker));
        tracker.fetched(LEO, LEO);
        fetch.complete();
    }
}
