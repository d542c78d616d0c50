"""Run one repeat of a race: force its interleaving, take samples, and write the evidence.

Broker 1 leads partition 0 of a fresh topic and partition 1, the bystander. Broker 2 is the
follower whose fetch takes part in the race. Broker 3 controls when the high watermark moves.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

from insync.brokers.cluster.admin import SMALL_SEGMENTS, create_topic
from insync.errors import InsyncError
from insync.events.schema import topic_name
from insync.nodes import ring
from insync.progress import Progress
from insync.run.agents import write_counters
from insync.run.context import ArmContext
from insync.run.health import SchedulingGaps
from insync.run.race.fixture import BYSTANDER, RACE_PARTITION, RaceFixture
from insync.run.race.interleavings import run_interleaving
from insync.run.race.samples import Sampler
from insync.run.readiness import await_full_isr

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
