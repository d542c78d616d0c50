from dataclasses import replace
from itertools import islice

from insync.workload.plan import VARIES, Burst, WorkloadPlan, schedule
from unit.workload.plans import BASE

BURST = Burst(records=5, every=0.2)


def plan(producers: int = 1, seed: int = 7) -> WorkloadPlan:
    return replace(
        BASE, partitions=(0, 1), rate=100, producers=producers, seed=seed, bursts={1: BURST}
    )


def due(made: WorkloadPlan, partition: int, lane: int, count: int) -> list[tuple[int, float]]:
    return list(islice(schedule(made, partition, lane), count))


def test_a_partition_without_bursts_gets_its_records_evenly() -> None:
    assert due(plan(producers=2), 0, 1, 3) == [(1, 0.01), (3, 0.03), (5, 0.05)]


def test_records_of_a_burst_are_due_together_and_in_order() -> None:
    found = due(plan(), 1, 0, 20)
    assert [seq for seq, _ in found] == list(range(20))
    times = [{at for seq, at in found if seq // BURST.records == number} for number in range(4)]
    assert all(len(same) == 1 for same in times)


def test_intervals_between_bursts_vary_around_their_mean() -> None:
    times = [at for _, at in due(plan(), 1, 0, 5_000)[:: BURST.records]]
    gaps = [later - before for before, later in zip([0.0, *times], times, strict=False)]
    assert min(gaps) >= BURST.every * (1 - VARIES)
    assert max(gaps) <= BURST.every * (1 + VARIES)
    assert abs(sum(gaps) / len(gaps) - BURST.every) < 0.01


def test_producers_take_turns_with_whole_bursts_at_times_decided_by_the_seed() -> None:
    alone = due(plan(), 1, 0, 20)
    by_two = [*due(plan(producers=2), 1, 0, 10), *due(plan(producers=2), 1, 1, 10)]
    assert sorted(by_two) == alone
    assert [seq // BURST.records for seq, _ in by_two] == [0] * 5 + [2] * 5 + [1] * 5 + [3] * 5
    assert due(plan(seed=8), 1, 0, 20) != alone
