package insync.core.stepdown;

/** Runs a watched broker through step-downs for tests of other packages. */
public final class StepDownLines {

    private StepDownLines() { }

    /** A slow append. */
    public static void slowAppend(StepDownListener listener) {
        WatchedBroker broker = new WatchedBroker(WatchedBroker.settings().appendTimeMaxMs(1_000).build());
        broker.stats.listener(listener);
        FakePartition one = broker.leads("events", 0);
        broker.tick();
        one.appendingMs = broker.clock.ms;
        broker.pass(1_500);
    }

    /** A slow fetch in a broker that has learnt its T. */
    public static void learnt(StepDownListener listener) {
        WatchedBroker broker = new WatchedBroker(StepDownSettings.of(30_000, WatchedBroker.FETCH_WAIT_MS).learnt(500, 15_000).build());
        broker.stats.listener(listener);
        FakePartition one = broker.leads("events", 0);
        broker.tick();
        for (int slot = 0; slot < LearntLimit.SLOTS; slot++) {
            for (int i = 0; i < 1_000; i++) {
                broker.settings.fetchTimes().add(200_000_000L);
            }
            broker.pass(1_000);
        }
        broker.stall(one);
        broker.pass(700);
    }

    private static WatchedBroker stalled(StepDownListener listener) {
        WatchedBroker broker = new WatchedBroker(WatchedBroker.settings().build());
        broker.stats.listener(listener);
        FakePartition one = broker.leads("events", 0);
        broker.tick();
        broker.stall(one);
        return broker;
    }

    /** A slow fetch, and a controller that grants the step-down after 10 s. */
    public static void granted(StepDownListener listener) {
        WatchedBroker broker = stalled(listener);
        broker.passT();
        broker.pass(10_000);
        broker.watch.answered(broker.acted.get(0), Outcome.DONE, "alter-partition", null);
    }

    /** A slow fetch, and a controller that refuses. */
    public static void refused(StepDownListener listener) {
        WatchedBroker broker = stalled(listener);
        broker.passT();
        broker.watch.answered(broker.acted.get(0), Outcome.REFUSED, "fence", "INELIGIBLE_REPLICA");
    }

    /** A slow fetch in a broker without live peers. */
    public static void withheld(StepDownListener listener) {
        WatchedBroker broker = stalled(listener);
        broker.live = new int[0];
        broker.passT();
    }
}
