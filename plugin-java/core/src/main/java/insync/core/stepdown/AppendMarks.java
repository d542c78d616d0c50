package insync.core.stepdown;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Contains the mark of each thread that has appended to a leader's log. A mark goes with its thread. */
public final class AppendMarks {
    private final List<WeakReference<AppendMark>> all = new CopyOnWriteArrayList<>();
    private final ThreadLocal<AppendMark> own = ThreadLocal.withInitial(this::add);

    private AppendMark add() {
        all.removeIf(mark -> mark.get() == null);
        AppendMark added = new AppendMark();
        all.add(new WeakReference<>(added));
        return added;
    }

    /** Returns the mark of the calling thread. */
    public AppendMark own() {
        return own.get();
    }

    /** Returns the appends to a broker's partitions that have not ended. */
    public List<PendingAppend> pending(int brokerId) {
        List<PendingAppend> found = List.of();
        for (WeakReference<AppendMark> each : all) {
            AppendMark mark = each.get();
            PendingAppend one = mark == null ? null : mark.pending(brokerId);
            if (one != null) {
                found = found.isEmpty() ? new ArrayList<>() : found;
                found.add(one);
            }
        }
        return found;
    }

    /**
     * Returns the oldest of a partition's pending appends, or null. If it waits for a lock and another one does not, its site is
     * that one's.
     *
     * @param among appends that have not ended
     */
    public static PendingAppend oldest(Object partition, List<PendingAppend> among) {
        PendingAppend oldest = null;
        PendingAppend ahead = null;
        for (PendingAppend one : among) {
            if (one.partition == partition) {
                oldest = oldest == null || one.sinceNanos - oldest.sinceNanos < 0 ? one : oldest;
                ahead = one.site == AppendSite.LOCK ? ahead : one;
            }
        }
        return oldest == null || ahead == null ? oldest : oldest.behind(ahead);
    }
}
