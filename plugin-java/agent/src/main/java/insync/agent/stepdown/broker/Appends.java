package insync.agent.stepdown.broker;

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
    private static volatile boolean on;

    private Appends() { }

    /** Notes whether any broker of this JVM times its appends. */
    public static void turn(boolean wanted) {
        on = wanted;
    }

    /**
     * Notes that this thread begins to append.
     *
     * @return the thread's mark, for {@link #end}; null if no broker times its appends
     */
    public static AppendMark begin(Object partition, Time time) {
        if (!on) {
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

    /**
     * Notes that this thread's append comes to a site.
     *
     * @return the site before, for {@link #leave}; null if this thread does not append to a leader's log
     */
    public static AppendSite enter(AppendSite site) {
        return on ? MARKS.own().enter(site) : null;
    }

    /** Notes that this thread's append is at a site again. */
    public static void leave(AppendSite before) {
        if (before != null) {
            MARKS.own().leave(before);
        }
    }

    /** Notes which request this thread serves; null when it is served. */
    public static void serve(Object request) {
        if (on) {
            MARKS.own().serve(request);
        }
    }

    /** Returns the appends that have not ended. */
    static List<PendingAppend> pending() {
        return MARKS.pending();
    }
}
