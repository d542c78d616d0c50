package insync.core.stepdown;

/**
 * Scores how slow a broker was recently, from 0 to {@link StepDownSettings#SCORE_MAX}: a slow fetch or append adds 1 at once and
 * 1 more for each further T that it lasts; the score falls by 1 per recovery time without one.
 *
 * <p>Hysteresis: a broker counts as slow from the threshold on, and then until its score is 0 again.
 */
final class SlowScore {
    private final StepDownSettings settings;
    private double value;
    private boolean rising;
    private boolean slow;

    SlowScore(StepDownSettings settings) {
        this.settings = settings;
    }

    /**
     * Updates the score.
     *
     * @param elapsedNanos since the last tick
     * @param timesLimit age of the oldest fetch or append that the broker processes, as a multiple of its limit; 0 if there is none
     * @return whether the broker became slow or ceased to be slow
     */
    boolean tick(long elapsedNanos, double timesLimit) {
        boolean over = timesLimit > 1;
        if (over) {
            double added = rising ? (double) elapsedNanos / settings.processTimeMaxNanos() : timesLimit;
            value = Math.min(StepDownSettings.SCORE_MAX, value + added);
        } else {
            value = Math.max(0, value - (double) elapsedNanos / settings.scoreRecoveryNanos());
        }
        rising = over;
        boolean before = slow;
        slow = value >= settings.scoreThreshold() || slow && value > 0;
        return slow != before;
    }

    double value() {
        return value;
    }

    boolean isSlow() {
        return slow;
    }
}
