package insync.core.stepdown;

/**
 * Says whether a broker is slow: while it processes a fetch or an append for longer than T, and for {@link StepDownSettings#slowNanos}
 * after that, so that one that was slow a moment ago does not look healthy between two stalls.
 */
final class Slowness {
    private final StepDownSettings settings;
    private long calmNanos;
    private boolean slow;

    Slowness(StepDownSettings settings) {
        this.settings = settings;
    }

    /**
     * Takes what a tick saw.
     *
     * @param elapsedNanos since the last tick
     * @param over whether the broker processes something for longer than T
     * @return whether the broker became slow or ceased to be slow
     */
    boolean tick(long elapsedNanos, boolean over) {
        calmNanos = over ? 0 : calmNanos + elapsedNanos;
        boolean before = slow;
        slow = over || slow && calmNanos < settings.slowNanos();
        return slow != before;
    }

    boolean isSlow() {
        return slow;
    }
}
