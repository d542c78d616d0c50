package insync.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Records are due when those of the Python producers are; see tests/unit/workload/test_plan.py. */
class ScheduleTest {
    private static List<String> first(Schedule schedule, int count) {
        List<String> due = new ArrayList<>();
        for (int number = 0; number < count; number++, schedule.advance()) {
            due.add(schedule.seq() + "@" + schedule.after());
        }
        return due;
    }

    @Test
    void recordsAreDueEvenlyAndProducersTakeTurns() {
        assertEquals(List.of("1@0.01", "3@0.03", "5@0.05"), first(Schedule.even(1, 2, 100), 3));
    }

    @Test
    void oneProducerSendsAllRecordsOfABurst() {
        double[] times = {0.1, 0.3, 0.4};
        assertEquals(
                List.of("0@0.1", "1@0.1", "4@0.4", "5@0.4", "8@Infinity"), first(Schedule.bursts(0, 2, 2, times), 5));
        assertEquals(List.of("2@0.3", "3@0.3", "6@Infinity"), first(Schedule.bursts(1, 2, 2, times), 3));
    }

    @Test
    void aPlanSaysWhichPartitionsHaveBursts() {
        Plan plan = new Plan(Map.of("producers", "1", "rate.0", "4.0", "burst.1", "2:0.500000,1.250000"));
        assertEquals(List.of("0@0.0", "1@0.25"), first(Schedule.of(plan, 0, 0), 2));
        assertEquals(List.of("0@0.5", "1@0.5", "2@1.25"), first(Schedule.of(plan, 1, 0), 3));
    }
}
