package insync.agent.stepdown.broker;

import insync.agent.broker.Brokers;
import insync.core.stepdown.AppendMark;
import insync.core.stepdown.AppendMarks;
import insync.core.stepdown.AppendSite;
import insync.core.stepdown.PendingAppend;
import java.util.List;
import org.apache.kafka.common.utils.Time;

/**
 * Times the appends to partitions' logs in this JVM, if a broker asks for that. Its brokers share the marks: a broker looks for its own
 * partitions among them.
 */
public final class Appends {
    private static final AppendMarks MARKS = new AppendMarks();

    private Appends() { }

    /**
     * Notes that this thread begins to append.
     *
     * @return the thread's mark, for {@link #end}; null if no broker times its appends
     */
    public static AppendMark begin(Object partition, Time time) {
        if (!Brokers.timesAppends()) {
            return null;
        }
        AppendMark mark = MARKS.own();
        mark.begin(partition, time.nanoseconds());
        return mark;
    }

    /**
     * Notes that this thread's append has ended.
     *
     * @param mark as {@link #begin} returned it
     */
    public static void end(AppendMark mark) {
        if (mark != null) {
            mark.end();
        }
    }

    /** Notes that this thread's append comes to a site. */
    public static void enter(AppendSite site) {
        if (Brokers.timesAppends()) {
            MARKS.own().enter(site);
        }
    }

    /** Notes which request this thread serves; null when it is served. */
    public static void serve(Object request) {
        if (Brokers.timesAppends()) {
            MARKS.own().serve(request);
        }
    }

    /** Returns the appends that have not ended. */
    public static List<PendingAppend> pending() {
        return MARKS.pending();
    }
}
