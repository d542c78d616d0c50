package insync.core.stepdown;

/** Says which T was in force at a decision, and what it was learnt from. Times are in milliseconds. */
public final class LimitBasis {
    /** The site of the T of fetches. */
    public static final String FETCH = "fetch";
    /** The site of the T of appends. */
    public static final String APPEND = "append";

    private final String site;
    private final long limitMs;
    private final long pausedMs;
    private final long samples;
    private final long percentileMs;
    private final long minMs;
    private final long maxMs;

    LimitBasis(String site, long limitMs, long pausedMs, long samples, long percentileMs, long minMs, long maxMs) {
        this.site = site;
        this.limitMs = limitMs;
        this.pausedMs = pausedMs;
        this.samples = samples;
        this.percentileMs = percentileMs;
        this.minMs = minMs;
        this.maxMs = maxMs;
    }

    /** Returns whose T it is: {@value #FETCH} or {@value #APPEND}. */
    public String site() {
        return site;
    }

    /** Returns T without {@link #pausedMs}. */
    public long limitMs() {
        return limitMs;
    }

    /** Returns by how much T was longer because the process was paused in the meantime. */
    public long pausedMs() {
        return pausedMs;
    }

    /** Returns how many times were seen in the window. */
    public long samples() {
        return samples;
    }

    /** Returns the percentile {@link LearntLimit#PERCENTILE}, the median of the window's slots; -1 if too few times are known. */
    public long percentileMs() {
        return percentileMs;
    }

    public long minMs() {
        return minMs;
    }

    public long maxMs() {
        return maxMs;
    }

    /** Returns it in words, for the broker's log. */
    public String words() {
        String t = "T of site " + site + " is " + limitMs + " ms, ";
        String more = pausedMs == 0 ? "" : ", and " + pausedMs + " ms more for pauses of the process";
        return percentileMs < 0 ? t + "its upper bound: " + samples + " samples are too few to learn it"
            : t + "learnt as " + LearntLimit.TIMES + " times the " + LearntLimit.PERCENTILE + "th percentile, " + percentileMs
                + " ms, of " + samples + " samples, within " + minMs + " and " + maxMs + " ms" + more;
    }
}
