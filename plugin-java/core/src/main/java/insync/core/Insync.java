package insync.core;

import insync.core.events.EventLog;
import insync.core.isr.Stats;
import insync.core.log.BrokerLog;
import insync.core.log.StepDownReport;
import insync.core.logstart.LogStartStats;
import insync.core.stepdown.StepDownStats;

/**
 * Gives woven code, which is static, access to the plugin's single instance in this JVM. All other code gets it by
 * constructor.
 */
public final class Insync {
    private static volatile Insync current = new Insync(new EventLog());
    private static volatile boolean disabled;

    public final EventLog events;
    /** The broker's own log. */
    public final BrokerLog log = new BrokerLog();
    public final Stats stats = new Stats();
    public final StepDownStats stepDowns;
    public final Failures failures;
    public final LogStartStats logStarts = new LogStartStats();
    private volatile Runnable eachSecond = () -> { };

    public Insync(EventLog events) {
        this.events = events;
        this.failures = new Failures(events, log);
        this.stepDowns = new StepDownStats(new StepDownReport(log, events));
    }

    public static Insync current() {
        return current;
    }

    /** Sets the instance; called once by the agent, before any broker class is loaded. */
    public static void install(Insync insync) {
        current = insync;
    }

    /** Records an exception of a woven hook; called by the woven code itself, so it never throws. */
    public static void failed(Throwable failure) {
        current.failures.record(failure);
    }

    /**
     * Makes every woven hook of this JVM a no-op until the JVM ends. Counts as a failure, because a run in which it happens is
     * invalid. Repeated calls have no effect.
     *
     * @param why for the log and the event
     */
    public static synchronized void disable(String why) {
        if (!disabled) {
            disabled = true;
            current.failures.record(why + ": every hook is a no-op until the next start");
        }
    }

    /** Returns whether every woven hook is a no-op. */
    public static boolean isDisabled() {
        return disabled;
    }

    /** Sets what to do every second while a scope is on, and once when it ends. It must return soon. */
    public void eachSecond(Runnable task) {
        eachSecond = task;
    }

    /** Updates what is derived from the counters. An error is recorded. */
    public void eachSecond() {
        try {
            eachSecond.run();
        } catch (RuntimeException | Error failed) {
            failures.record(failed);
        }
    }
}
