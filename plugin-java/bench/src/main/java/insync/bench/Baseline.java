package insync.bench;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Measures the baselines of the tracker in the same loop over the partitions of a fetch: an empty advice, and one
 * uncontended compare-and-set, the lowest possible cost of thread-safe counting.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Baseline {
    @Param({"1", "100", "4000"})
    int partitions;
    private AtomicLong[] cells;

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

    /** Inlined, like woven advice. */
    private static void advice() { }
}
