package insync.core.log;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Writes lines to the broker's own log. {@link #offer} never waits, because callers may have Kafka's locks and the log's disk
 * may stall: a separate thread writes. A full queue drops the line and counts it.
 *
 * <p>Of each logger at most {@value #LINES} lines are written in {@value #WINDOW_S} seconds; then one line says how many
 * were left out. There is no limit while the logger's level is DEBUG or lower.
 */
public final class BrokerLog {
    /** The most lines of a logger in a window: both of each partition that a broker gives away in a minute, and some more. */
    public static final int LINES = 600;
    /** The length of a window, seconds. */
    public static final int WINDOW_S = 10;
    static final int CAPACITY = 2_000;

    private final BlockingQueue<Line> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final Map<Name, LogLimit> limits = new EnumMap<>(Name.class);
    private final LongAdder dropped = new LongAdder();
    private final long windowNanos;
    private volatile Sink sink;

    public BrokerLog() {
        this(TimeUnit.SECONDS.toNanos(WINDOW_S));
    }

    BrokerLog(long windowNanos) {
        this.windowNanos = windowNanos;
        for (Name name : Name.values()) {
            limits.put(name, new LogLimit(LINES, windowNanos));
        }
    }

    /** Begins to write lines to a log; only the first call has an effect. Earlier lines were discarded. */
    public synchronized void open(Sink log) {
        if (sink == null) {
            sink = log;
            Thread writer = new Thread(this::run, "insync-log");
            writer.setDaemon(true);
            writer.start();
        }
    }

    /**
     * Queues a line, if the logger's level includes it.
     *
     * @param text makes the line, in another thread and only if the line is written
     */
    public void offer(Name name, Level level, Supplier<String> text) {
        Sink log = sink;
        if (log != null && log.isOn(name, level) && !queue.offer(new Line(name, level, text))) {
            dropped.increment();
        }
    }

    /** Returns how many lines were lost: the queue was full, or the log failed. */
    public long dropped() {
        return dropped.sum();
    }

    private void run() {
        try {
            while (true) {
                Line line = queue.poll(windowNanos, TimeUnit.NANOSECONDS);
                try {
                    next(line, System.nanoTime());
                } catch (RuntimeException | Error failed) {
                    dropped.increment();
                }
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    private void next(Line line, long now) {
        limits.forEach((name, limit) -> summarise(name, limit.leftOut(now)));
        if (line != null && (limits.get(line.name).allows(now) || sink.isOn(line.name, Level.DEBUG))) {
            sink.write(line.name, line.level, line.text.get());
        }
    }

    private void summarise(Name name, long leftOut) {
        if (leftOut > 0) {
            sink.write(name, Level.INFO, leftOut + " more lines of this logger were left out in " + WINDOW_S
                + " s; level DEBUG writes all");
        }
    }

    /** The plugin's loggers. All are below the logger "insync". */
    public enum Name {
        /** Start, updates of configs, and errors in the agent's own code. */
        AGENT("insync.Agent"),
        /** Followers that stay in the ISR because of their pending fetch, solution 1. */
        PENDING_READS("insync.PendingReads"),
        /** Step-downs of this broker, and those that a rule prevents; solution 2. */
        STEP_DOWN("insync.StepDown"),
        /** Step-downs of leaders, as the controller carries them out. */
        CONTROLLER("insync.Controller");

        private final String logger;

        Name(String logger) {
            this.logger = logger;
        }

        public String logger() {
            return logger;
        }
    }

    public enum Level { DEBUG, INFO, WARN, ERROR }

    public interface Sink {

        /** Returns whether the level of a logger includes a level. Must return at once. */
        boolean isOn(Name name, Level level);

        /** Writes a line; may wait. */
        void write(Name name, Level level, String line);
    }

    private static final class Line {
        private final Name name;
        private final Level level;
        private final Supplier<String> text;

        Line(Name name, Level level, Supplier<String> text) {
            this.name = name;
            this.level = level;
            this.text = text;
        }
    }

    /** Limits how many lines a logger writes in a window of time, and counts the others. Used by one thread. */
    static final class LogLimit {
        private final int most;
        private final long windowNanos;
        private long windowSince;
        private int written;
        private long leftOut;

        LogLimit(int most, long windowNanos) {
            this.most = most;
            this.windowNanos = windowNanos;
        }

        /** Returns whether one more line may be written; a window begins with its first line. */
        boolean allows(long nowNanos) {
            if (written == 0) {
                windowSince = nowNanos;
            }
            if (written < most) {
                written++;
                return true;
            }
            leftOut++;
            return false;
        }

        /** Ends the window if it is over, and returns how many lines were left out in it; 0 if it is not over. */
        long leftOut(long nowNanos) {
            if (written == 0 || nowNanos - windowSince < windowNanos) {
                return 0;
            }
            long count = leftOut;
            written = 0;
            leftOut = 0;
            return count;
        }
    }
}
