"""Run one repeat of a race: force its interleaving, take samples, and write the evidence.

Broker 1 leads partition 0 of a fresh topic and partition 1, the bystander. Broker 2 is the
follower whose fetch takes part in the race. Broker 3 controls when the high watermark moves.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

from insync.background import Background
from insync.brokers.cluster.admin import SMALL_SEGMENTS, create_topic
from insync.errors import InsyncError
from insync.events.schema import Moment, SampleLine, now_ms, topic_name
from insync.nodes import ring
from insync.progress import Progress
from insync.run.agents import connect_all, write_counters
from insync.run.context import ArmContext
from insync.run.race.fixture import BYSTANDER, RACE_PARTITION, RaceFixture, run_interleaving
from insync.run.readiness import SchedulingGaps, await_full_isr
from insync_bridge import BridgeClient, BridgeError

EVERY_SECONDS: Final = 0.05
STOP_SECONDS: Final = 30.0


class Sampler(Background):
    """Writes a SampleLine per broker and partition, again and again until the block is left."""

    def __init__(self, context: ArmContext, topic: str, repeat: int) -> None:
        """Connect to the brokers' bridges; raises InsyncError if one does not answer."""
        super().__init__("insync-samples", EVERY_SECONDS, STOP_SECONDS)
        self._context = context
        self._topic = topic
        self._repeat = repeat
        self._bridges = connect_all(context.arm_cluster.bridge)
        self._partitions = range(len(context.cell.scenario.workload.leaders))
        self._lock = threading.Lock()
        self.fetchers: dict[Moment, dict[int, int]] = {}
        """How many fetcher threads each broker had at a moment."""

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            super().__exit__(kind)
        finally:
            for bridge in self._bridges.values():
                bridge.close()

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
        try:
            self.check()
            return self._ask(moment)
        except BridgeError as error:
            raise InsyncError(str(error)) from error

    def _keep(self, lines: Sequence[SampleLine]) -> None:
        for line in lines:
            self._context.files.samples.write(line)

    def _ask(self, moment: Moment) -> list[SampleLine]:
        with self._lock:
            return [
                line
                for broker, bridge in self._bridges.items()
                for line in self._ask_broker(moment, broker, bridge)
            ]

    def _ask_broker(
        self, moment: Moment, broker: int, bridge: BridgeClient
    ) -> Iterator[SampleLine]:
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
    say = partial(_say, progress, context, repeat)
    say("creating the topic")
    create_topic(
        context.bootstrap, topic, [ring(leader) for leader in scenario.workload.leaders],
        {"min.insync.replicas": str(scenario.min_insync_replicas), **SMALL_SEGMENTS},
    )  # fmt: skip
    files.phase("repeat_started", repeat=repeat, topic=topic)
    with ExitStack() as stack, SchedulingGaps() as gaps:
        fixture = stack.enter_context(RaceFixture(context, topic, repeat))
        sampler = stack.enter_context(Sampler(context, topic, repeat))
        for partition in (RACE_PARTITION, BYSTANDER):
            fixture.burst(partition, AFTERWARDS)
        fixture.await_all_equal(scenario.timeline.steady_ms)
        sampler.write("before")
        files.phase("steady", repeat=repeat, topic=topic)
        run_interleaving(fixture, race, say)
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


def _say(progress: Progress, context: ArmContext, repeat: int, text: str) -> None:
    progress.phase(f"{context.arm} {repeat + 1}/{context.cell.scenario.repeats}: {text}")
