package insync.core.stepdown;

import insync.core.log.StepDownReport;

/** Runs a watched broker through step-downs for tests of other packages. */
public final class StepDownLines {

    private StepDownLines() { }

    /** A slow append. */
    public static void slowAppend(StepDownReport report) {
        WatchedBroker broker = new WatchedBroker(WatchedBroker.settings().appends(true), report);
        FakePartition one = broker.leads("events", 0);
        broker.tick();
        one.appendingMs = broker.clock.ms;
        broker.pass(2_500);
    }

    private static WatchedBroker stalled(StepDownReport report) {
        WatchedBroker broker = new WatchedBroker(WatchedBroker.settings(), report);
        FakePartition one = broker.leads("events", 0);
        broker.tick();
        broker.stall(one);
        return broker;
    }

    /** A slow fetch, and a controller that grants the step-down after 10 s. */
    public static void granted(StepDownReport report) {
        WatchedBroker broker = stalled(report);
        broker.passT();
        broker.pass(10_000);
        broker.watch.answered(broker.acted.get(0), Outcome.DONE, "alter-partition", null);
    }

    /** A slow fetch, and a controller that refuses. */
    public static void refused(StepDownReport report) {
        WatchedBroker broker = stalled(report);
        broker.passT();
        broker.watch.answered(broker.acted.get(0), Outcome.REFUSED, "fence", "INELIGIBLE_REPLICA");
    }

    /** A slow fetch in a broker without live peers. */
    public static void withheld(StepDownReport report) {
        WatchedBroker broker = stalled(report);
        broker.live = new int[0];
        broker.passT();
    }
}
