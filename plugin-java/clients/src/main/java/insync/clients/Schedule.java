package insync.clients;

import java.util.Arrays;

/**
 * When the records of one producer are due: evenly, or in bursts at given times.
 *
 * <p>The producers of a partition take turns; one producer sends all records of a burst, so that they can be one batch.
 */
final class Schedule {
    private final int lane;
    private final int producers;
    private final double rate;
    private final int records;
    private final double[] times;
    private long turn;

    private Schedule(int lane, int producers, double rate, int records, double[] times) {
        this.lane = lane;
        this.producers = producers;
        this.rate = rate;
        this.records = records;
        this.times = times;
    }

    /** A record each 1 / {@code rate} s, of which this is producer {@code lane} of {@code producers}. */
    static Schedule even(int lane, int producers, double rate) {
        return new Schedule(lane, producers, rate, 1, null);
    }

    /** So many records at each of the times, which are seconds from the start. */
    static Schedule bursts(int lane, int producers, int records, double[] times) {
        return new Schedule(lane, producers, 0, records, times);
    }

    /** Returns the schedule of a plan's partition for its producer {@code lane}. */
    static Schedule of(Plan plan, int partition, int lane) {
        int producers = plan.number("producers");
        if (!plan.has("burst." + partition)) {
            return even(lane, producers, plan.real("rate." + partition));
        }
        String[] parts = plan.text("burst." + partition).split(":");
        double[] times = Arrays.stream(parts[1].split(",")).mapToDouble(Double::parseDouble).toArray();
        return bursts(lane, producers, Integer.parseInt(parts[0]), times);
    }

    /** The sequence number of the record that is due next. */
    long seq() {
        return group() * records + turn % records;
    }

    /** When it is due, in seconds from the start; infinity after the last burst. */
    double after() {
        if (times == null) {
            return seq() / rate;
        }
        return group() < times.length ? times[(int) group()] : Double.POSITIVE_INFINITY;
    }

    void advance() {
        turn++;
    }

    /** The number of the burst, or of the record where each is alone. */
    private long group() {
        return lane + turn / records * producers;
    }
}
