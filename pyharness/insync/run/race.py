"""Run one repeat of a race: force its interleaving, take samples, and write the evidence.

Broker 1 leads partition 0 of a fresh topic and partition 1, the bystander. Broker 2 is the
follower whose fetch takes part in the race. Broker 3 controls when the high watermark moves.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final, Self

from insync.background import Background
from insync.brokers.cluster.admin import (
    SMALL_SEGMENTS,
    client,
    create_topic,
    delete_records,
    keep_one_segment,
)
from insync.errors import InsyncError
from insync.events.schema import Moment, SampleLine, now_ms, topic_name
from insync.faults.base import FaultContext, await_true
from insync.faults.support.pause_point import KIND, MOST_MS, PointHold
from insync.nodes import BROKERS, ring
from insync.progress import Progress
from insync.run.context import ArmContext, asking, write_counters
from insync.run.readiness import SchedulingGaps, await_full_isr
from insync.scenario.model import Race
from insync.workload.prefill import burst
from insync_bridge import BridgeClient, OwnReplica, PartitionState

LEADER: Final = 1
FOLLOWER: Final = 2
OTHER: Final = 3
RACE_PARTITION: Final = 0
BYSTANDER: Final = 1
STATE_SECONDS: Final = 10.0
RETENTION_SECONDS: Final = 45.0
"""How long retention may take to act: old brokers first check 30 s after their start."""


Bridges = Mapping[int, BridgeClient]
"""The connections to the brokers' bridges, which only one thread at a time may use."""


class RaceFixture:
    """A race's topic on a running cluster; a context manager that releases all threads."""

    def __init__(self, context: ArmContext, topic: str, repeat: int, bridges: Bridges) -> None:
        self._context = context
        self._topic = topic
        self._repeat = repeat
        self._admin = client(context.bootstrap)
        self.brokers = bridges
        self.holds: list[PointHold] = []
        # Partitions that failed in earlier races stay failed.
        self._failed_before = self._failed()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for bridge in self.brokers.values():
            for point, state in bridge.holds().items():
                if state.waiting:
                    bridge.release(point)

    def hold(self, broker: int, point: str, replica: int = -1) -> PointHold:
        """Ask for the next thread of a broker at a point, about the partition of the race."""
        at = FaultContext(
            arm=self._context.arm, repeat=self._repeat, kind=KIND, broker=broker,
            planned_ms=MOST_MS, target=[f"{self._topic}-{RACE_PARTITION}"], site=point, mode="hold",
        )  # fmt: skip
        self.holds.append(PointHold(self.brokers[broker], at, replica))
        return self.holds[-1]

    def burst(self, partition: int, records: int) -> None:
        size = self._context.cell.scenario.workload.record_bytes
        burst(self._context.bootstrap, self._topic, partition, records, size)

    def replica(self, broker: int, partition: int = RACE_PARTITION) -> OwnReplica:
        """Return a broker's own replica; raises InsyncError if it has none."""
        own = self.brokers[broker].own_replica(self._topic, partition)
        if own is None:
            raise InsyncError(f"broker {broker}: has no replica of {self._topic}-{partition}")
        return own

    def seen(self) -> PartitionState:
        """Return the partition of the race as its leader sees it."""
        state = self.brokers[LEADER].replicas(self._topic, RACE_PARTITION)
        if state is None:
            raise InsyncError(f"broker {LEADER}: does not lead {self._topic}-{RACE_PARTITION}")
        return state

    def seen_leo(self, broker: int) -> int | None:
        return next(each.leo for each in self.seen().replicas if each.id == broker)

    def expect(
        self, what: str, condition: Callable[[], bool], seconds: float = STATE_SECONDS
    ) -> None:
        """Wait until a condition is true; raises InsyncError naming `what` if it stays false."""
        if not await_true(condition, seconds):
            raise InsyncError(f"topic {self._topic}: not in {seconds:.0f} s: {what}")

    def await_watermark_at_end(self) -> None:
        def at_end() -> bool:
            own = self.replica(LEADER)
            return own.high_watermark == own.leo

        self.expect("the leader's high watermark at its log end", at_end)

    def move_start(self, race: Race, beyond: int) -> None:
        """Make the leader delete records; return when its log start offset is above `beyond`."""
        if race.start_moves_by == "retention":
            whole = self._context.arm_cluster.kafka.release.zookeeper
            keep_one_segment(self._admin, self._topic, alter_whole=whole)
            seconds = RETENTION_SECONDS
        else:
            delete_records(self._admin, self._topic, RACE_PARTITION)
            seconds = STATE_SECONDS
        self.expect(
            f"the leader's log start offset above {beyond}",
            lambda: self.replica(LEADER).log_start_offset > beyond,
            seconds,
        )

    def fetcher_stopped(self) -> bool:
        """Whether the follower has lost its fetcher thread or marked the partition failed."""
        no_fetcher = not self.brokers[FOLLOWER].fetchers().threads
        return no_fetcher or self._failed() > self._failed_before

    def await_all_equal(self, most_ms: int) -> None:
        """Wait until all replicas are equal and all is committed; raises InsyncError if not."""

        def equal() -> bool:
            asked = self.brokers.values()  # one that does not know the topic yet has no replica
            return all(
                equal_and_committed([each.own_replica(self._topic, partition) for each in asked])
                for partition in (RACE_PARTITION, BYSTANDER)
            )

        self.expect("all replicas equal", equal, most_ms / 1000)

    def _failed(self) -> int:
        return self.brokers[FOLLOWER].fetchers().failed_partitions or 0


def equal_and_committed(replicas: Sequence[OwnReplica | None]) -> bool:
    """Whether all replicas exist, have equal start and end offsets, and all is committed."""
    there = [each for each in replicas if each is not None]
    places = {(each.log_start_offset, each.high_watermark, each.leo) for each in there}
    return (
        len(there) == len(replicas)
        and len(places) == 1
        and all(watermark == leo for _, watermark, leo in places)
    )


FEW: Final = 3
MANY: Final = 30
"""With 100 kB each these fill more than two segments."""
ISR_SECONDS: Final = 20.0

Say = Callable[[str], None]


def _park(fixture: RaceFixture, follower: int) -> PointHold:
    """Stop a follower with a fetch response; a response for the partition needs new records."""
    parked = fixture.hold(follower, "follower-received")
    fixture.burst(RACE_PARTITION, FEW)
    parked.await_held()
    return parked


def _late_values(fixture: RaceFixture, race: Race, say: Say) -> None:
    """KAFKA-7104: move the log start offset after records are read, before the response is built.

    The follower must be out of the ISR, otherwise no record that it lacks is deleted. In Kafka
    1.1.0 the response has the leader's new values if the follower's own fetch moves the high
    watermark. So another follower's fetch is recorded first, and stopped before the leader updates
    the high watermark.
    """
    say("the follower falls behind and leaves the ISR")
    behind = _park(fixture, FOLLOWER)
    fixture.expect(
        "the follower out of the ISR", lambda: FOLLOWER not in fixture.seen().isr, ISR_SECONDS
    )
    fixture.burst(RACE_PARTITION, FEW)
    fixture.await_watermark_at_end()
    say("the leader has read for it")
    parked = _park(fixture, OTHER)
    read = fixture.hold(LEADER, "leader-read")
    behind.release()
    read.await_held()
    parked.release()
    read_to = fixture.replica(LEADER).leo
    fixture.burst(RACE_PARTITION, MANY)
    fixture.await_watermark_at_end()
    say("the leader's log start offset moves")
    fixture.move_start(race, read_to)
    recorded = _record_other(fixture)
    say("the leader answers")
    read.release()
    fixture.expect(
        "the follower with the answer, or stopped",
        lambda: fixture.replica(FOLLOWER).leo >= read_to or fixture.fetcher_stopped(),
    )
    recorded.release()


def _record_other(fixture: RaceFixture) -> PointHold:
    """Let the other follower append records, and stop its next fetch after it is recorded."""
    parked = _park(fixture, OTHER)
    fixture.burst(RACE_PARTITION, FEW)
    # The records exist before its next fetch, so the next response has them.
    parked.over()
    taking = fixture.hold(OTHER, "follower-received")
    taking.await_held()
    recorded = fixture.hold(LEADER, "leader-recorded")
    taking.release()
    recorded.await_held()
    return recorded


def _half_read(fixture: RaceFixture, race: Race, say: Say) -> None:
    """Let the leader read its high watermark for a response, and later its log start offset.

    Both move in between: the other follower, the only one behind the high watermark, catches up,
    and the committed records are deleted. The race's follower has all of these records.
    """
    say("the other follower keeps the high watermark low")
    parked = _park(fixture, OTHER)
    end = fixture.replica(LEADER).leo
    fixture.expect("the follower at the end", lambda: fixture.seen_leo(FOLLOWER) == end)
    before = fixture.replica(LEADER).high_watermark
    say("the leader has read its high watermark")
    half = fixture.hold(LEADER, "leader-half-read")
    half.await_held()
    parked.release()
    fixture.await_watermark_at_end()
    say("the leader's log start offset moves")
    fixture.move_start(race, before)
    say("the leader answers")
    half.release()


EVERY_SECONDS: Final = 0.05
STOP_SECONDS: Final = 30.0


class Sampler(Background):
    """Writes a SampleLine per broker and partition, again and again until the block is left."""

    def __init__(self, context: ArmContext, topic: str, repeat: int, bridges: Bridges) -> None:
        super().__init__("insync-samples", EVERY_SECONDS, STOP_SECONDS)
        self._context = context
        self._topic = topic
        self._repeat = repeat
        self._bridges = bridges
        self._partitions = range(len(context.cell.scenario.workload.leaders))
        self._lock = threading.Lock()
        self.fetchers: dict[Moment, dict[int, int]] = {}
        """How many fetcher threads each broker had at a moment."""

    def write(self, moment: Moment) -> None:
        """Take a sample now; raises InsyncError if a broker does not answer, or did not before."""
        self._keep(self._take(moment))

    def write_settled(self, moment: Moment, most_ms: int) -> None:
        """Write the first sample in which all replicas of a partition have equal start and end.

        After `most_ms` write the current sample. Raises InsyncError as `write` does.
        """
        until = time.monotonic() + most_ms / 1000
        while not _settled(lines := self._take(moment)) and time.monotonic() < until:
            time.sleep(EVERY_SECONDS)
        self._keep(lines)

    def lost(self) -> list[int]:
        """Return the brokers that have fewer fetcher threads after the race than before."""
        before, after = self.fetchers["before"], self.fetchers["after"]
        return [broker for broker in sorted(after) if after[broker] < before[broker]]

    def _step(self) -> None:
        self.write("during")

    def _take(self, moment: Moment) -> list[SampleLine]:
        self.check()
        with self._lock:
            return [
                line
                for broker, bridge in self._bridges.items()
                for line in self._ask(moment, broker, bridge)
            ]

    def _keep(self, lines: Sequence[SampleLine]) -> None:
        for line in lines:
            self._context.files.samples.write(line)

    def _ask(self, moment: Moment, broker: int, bridge: BridgeClient) -> Iterator[SampleLine]:
        fetchers = bridge.fetchers()
        self.fetchers.setdefault(moment, {})[broker] = len(fetchers.threads)
        for partition in self._partitions:
            own = bridge.own_replica(self._topic, partition)
            if own is None:
                continue
            yield SampleLine(
                arm=self._context.arm, repeat=self._repeat, t_ms=now_ms(), moment=moment,
                broker=broker, topic=self._topic, partition=partition,
                log_start_offset=own.log_start_offset, high_watermark=own.high_watermark,
                leo=own.leo, fetchers=len(fetchers.threads),
                failed_partitions=fetchers.failed_partitions,
                put_right=fetchers.bounded + fetchers.snapshots,
            )  # fmt: skip


def _settled(lines: Sequence[SampleLine]) -> bool:
    ends: dict[int, set[tuple[int, int]]] = {}
    for line in lines:
        ends.setdefault(line.partition, set()).add((line.log_start_offset, line.leo))
    return all(len(each) == 1 for each in ends.values())


AFTERWARDS: Final = 5
"""Records per partition, produced after the race to see which replicas still get them."""


def run_race(context: ArmContext, repeat: int, progress: Progress) -> None:
    """Run one repeat and write its events; raises InsyncError if the interleaving failed.

    In every case all stopped threads are released. Brokers that lost a fetcher thread are
    restarted afterwards.
    """
    scenario, files = context.cell.scenario, context.files
    race = scenario.race
    if race is None:
        raise InsyncError(f"{scenario.name}: expected a scenario with a race")
    topic = topic_name(scenario.name, repeat)
    say = partial(context.say, progress, repeat)
    say("creating the topic")
    create_topic(
        context.bootstrap, topic, [ring(leader) for leader in scenario.workload.leaders],
        {"min.insync.replicas": str(scenario.min_insync_replicas), **SMALL_SEGMENTS},
    )  # fmt: skip
    files.phase("repeat_started", repeat=repeat, topic=topic)
    with ExitStack() as stack, SchedulingGaps() as gaps:
        own, others = (
            {
                broker: stack.enter_context(asking(context.arm_cluster.bridge, broker))
                for broker in range(1, BROKERS + 1)
            }
            for _ in range(2)
        )
        fixture = stack.enter_context(RaceFixture(context, topic, repeat, own))
        sampler = stack.enter_context(Sampler(context, topic, repeat, others))
        for partition in (RACE_PARTITION, BYSTANDER):
            fixture.burst(partition, AFTERWARDS)
        fixture.await_all_equal(scenario.timeline.steady_ms)
        sampler.write("before")
        files.phase("steady", repeat=repeat, topic=topic)
        {"late-values": _late_values, "half-read": _half_read}[race.order](fixture, race, say)
        say("producing records after the race")
        for partition in (RACE_PARTITION, BYSTANDER):
            fixture.burst(partition, AFTERWARDS)
        sampler.write_settled("after", scenario.timeline.recover_ms)
        files.phase("repeat_ended", repeat=repeat, topic=topic, longest_gap_ms=gaps.longest_gap_ms)
        for hold in fixture.holds:
            files.faults.write(hold.evidence())
    write_counters(context, repeat)
    say("recovering")
    _restart_brokers(context, topic, sampler.lost())


def _restart_brokers(context: ArmContext, topic: str, lost: Sequence[int]) -> None:
    """Restart brokers that lost a fetcher thread, because such a thread never comes back."""
    cluster = context.arm_cluster.cluster
    for broker in lost:
        cluster.kill(broker)
        (context.arm_cluster.bridge / f"bridge-{broker}.json").unlink()
        cluster.restart(broker)
    if lost:
        await_full_isr(context.bootstrap, topic, context.arm_cluster.check_nodes)
