package insync.bench;

import com.yammer.metrics.core.Meter;
import com.yammer.metrics.core.MetricsRegistry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Measures the baselines of the tracker in the same loop over the partitions of a fetch: an empty advice, and one
 * uncontended compare-and-set, the lowest possible cost of thread-safe counting. Also what the two ways cost to count an event
 * that many threads have: a counter, and a mark of a meter as Kafka's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Baseline {
    @Param({"1", "100", "4000"})
    int partitions;
    private AtomicLong[] cells;
    private final LongAdder counter = new LongAdder();
    private final MetricsRegistry registry = new MetricsRegistry();
    private final Meter meter = registry.newMeter(Baseline.class, "Marks", "marks", TimeUnit.SECONDS);

    /** The partitions of one thread; in the tracker each follower also has its own. */
    @Setup
    public void makePartitions() {
        cells = new AtomicLong[partitions];
        for (int i = 0; i < partitions; i++) {
            cells[i] = new AtomicLong();
        }
    }

    @Benchmark
    public void emptyAdvice(Blackhole hole) {
        for (AtomicLong cell : cells) {
            advice();
            hole.consume(cell);
        }
    }

    @Benchmark
    public void compareAndSet(Blackhole hole) {
        for (AtomicLong cell : cells) {
            hole.consume(cell.compareAndSet(cell.getPlain(), 1));
        }
    }

    @Benchmark
    public void counter() {
        for (int i = 0; i < cells.length; i++) {
            counter.increment();
        }
    }

    @Benchmark
    public void meterMark() {
        for (int i = 0; i < cells.length; i++) {
            meter.mark();
        }
    }

    /** Ends the meter's thread. */
    @TearDown
    public void shutDown() {
        registry.shutdown();
    }

    /** Inlined, like woven advice. */
    private static void advice() { }
}
