"""Run one repeat: create a topic, start the workload, inject faults on schedule, read back."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from functools import partial
from itertools import count
from typing import Any, Final

from insync.brokers.cluster.admin import await_state, create_topic, partitions
from insync.brokers.cluster.properties import COORDINATORS
from insync.errors import InsyncError
from insync.faults.base import Fault, FaultContext
from insync.faults.registry import fault_of
from insync.faults.schedule import moments
from insync.faults.spec import BESIDE, INTERNAL
from insync.faults.support.beside import written
from insync.nodes import ring
from insync.progress import Progress
from insync.run.arm_cluster import ArmCluster
from insync.run.context import ArmContext, write_counters
from insync.run.readiness import (
    Liveness,
    SchedulingGaps,
    await_back,
    await_full_isr,
    await_no_hanging,
    await_no_slow_broker,
)
from insync.scenario.model import ConsumerGroup, Scenario, Transactions
from insync.workload.plan import Burst, GroupPlan, Load, TransactionPlan, WorkloadPlan
from insync.workload.workload import Workload

FIRST_ACK_SECONDS: Final = 20.0
LATE_MS: Final = 300.0
"""A repeat begins when no record waits for its ack for longer than this and the client's linger."""
ON_TIME_SECONDS: Final = 10.0
"""For so long it waits for that; then it goes on with late acks."""
DRAIN_SECONDS: Final = 30.0
READ_BACK_SECONDS: Final = 30.0
BACK_SECONDS: Final = 60.0


def run_repeat(context: ArmContext, repeat: int, progress: Progress) -> str | None:
    """Run one repeat and write its events; return why its cluster cannot be used any more, or None.

    What the cluster did not do in time is recorded (`liveness`), and the repeat goes on as far as
    it can. Raises InsyncError if it could not be finished for another reason. In every case the
    faults are lifted and the clients closed.
    """
    scenario, files = context.cell.scenario, context.files
    topic = context.cell.topic(repeat)
    beside = f"{topic}-{scenario.beside.name}" if scenario.beside else ""
    say = partial(context.say, progress, repeat)
    plan = _workload_plan(context, topic, repeat)
    late_ms = jitter_ms(plan.seed, scenario.timeline.jitter_ms)
    others = {fault.other_topic for fault in scenario.faults}
    for each in CONFIGS:
        if each in others or (each == TRANSACTIONS and plan.transactions is not None):
            place_coordinators(context.arm_cluster, each)
    # After placing the coordinators, which loads the brokers: a slow one would step down from the
    # new topic's partitions.
    await_no_slow_broker(context)
    live = Liveness(context, repeat)
    with (
        Workload(plan, files.folder, context.driver) as workload,
        SchedulingGaps() as gaps,
        _beside(context, beside),
    ):
        say("creating the topic")
        _create(context, topic)
        at = partial(
            FaultContext.of, arm=context.arm, repeat=repeat, topic=topic,
            io_threads=scenario.broker.num_io_threads, beside=beside,
            configs=scenario.beside.configs if scenario.beside else None,
            clients=None if context.driver is None else context.driver.process,
            transactions=plan.transactional_ids("java"),
        )  # fmt: skip
        faults = [
            fault_of(spec, at(spec, leaders=scenario.topics[spec.other_topic]), context.arm_cluster)
            for spec in scenario.faults
        ]
        for fault in faults:
            fault.prepare()
        files.phase("repeat_started", repeat=repeat, topic=topic, seed=plan.seed)
        workload.start()
        with live.watch():
            workload.await_acks(FIRST_ACK_SECONDS)
            most_ms = LATE_MS + (plan.load.linger_ms or 0)
            on_time = workload.await_on_time(most_ms, ON_TIME_SECONDS)
            # On a busy host a late first fetch shrinks the ISR, which the fault did not cause.
            check = context.arm_cluster.check_nodes
            everyone = context.arm_cluster.brokers
            await_full_isr(context.bootstrap, topic, check, _absent(scenario, None), everyone)
            start = time.monotonic()
            files.phase("steady", repeat=repeat, topic=topic)
            say("steady" if on_time else "steady, but acks are late")
            _run_faults(context, faults, workload, start + late_ms / 1000, say)
            with live.watch("not_stopped"):
                check_done(faults)
            say("recovering")
            end_ms = scenario.faults_end_ms + late_ms + scenario.timeline.recover_ms
            workload.wait(start + end_ms / 1000 - time.monotonic())
            for each, of in ((topic, None), (beside, BESIDE)):
                if each:
                    absent = _absent(scenario, of, at_end=True)
                    await_full_isr(context.bootstrap, each, check, absent, everyone)
            workload.check()
        live.check_nodes()
        with live.watch("not_back"):
            await_back(context, 0 if live.unusable else BACK_SECONDS)
        with live.watch():
            workload.stop_producing()
        with live.watch("hanging"):
            if plan.transactions is not None:
                brokers = map(context.arm_cluster.node, context.arm_cluster.brokers)
                await_no_hanging([broker.port for broker in brokers], plan.transactions.ids)
        files.phase("repeat_ended", repeat=repeat, topic=topic, longest_gap_ms=gaps.longest_gap_ms)
        say("reading back")
        with live.watch("read_back_unfinished"):
            workload.read_back(READ_BACK_SECONDS)
        workload.check_read_from()
    with live.watch():
        write_counters(context, repeat)
    live.check_nodes()
    return live.unusable


def check_done(faults: Sequence[Fault[Any]]) -> None:
    """Raise InsyncError with what a node did not do that a fault asked of it."""
    if failed := next(filter(None, (fault.failed for fault in faults)), None):
        raise InsyncError(failed)


def jitter_ms(seed: int, most: int) -> int:
    """Return the delay of a repeat's faults, at most `most` ms; the same in every arm."""
    return random.Random(f"{seed}/faults").randint(0, most)  # noqa: S311


def _absent(scenario: Scenario, topic: str | None, *, at_end: bool = False) -> dict[int, set[int]]:
    """Return the brokers that a topic's partitions lack: not yet added, or cancelled."""
    absent: dict[int, set[int]] = {}
    for fault in scenario.faults:
        if fault.other_topic == topic:
            for partition in fault.cancelled if at_end else fault.added:
                absent.setdefault(partition, set()).add(fault.broker)
    return absent


def _create(context: ArmContext, topic: str) -> None:
    scenario = context.cell.scenario
    create_topic(
        context.bootstrap,
        topic,
        [context.arm_cluster.ids_of(ring(leader)) for leader in scenario.workload.leaders],
        {**scenario.workload.configs, "min.insync.replicas": str(scenario.min_insync_replicas)},
    )


@contextmanager
def _beside(context: ArmContext, name: str) -> Iterator[None]:
    """Create the topic beside the workload's, and write to it, if the scenario has one."""
    spec = context.cell.scenario.beside
    if spec is None:
        yield
        return
    create_topic(context.bootstrap, name, [ring(each) for each in spec.leaders], spec.configs)
    with written(context.bootstrap, name, len(spec.leaders), spec.rate_per_partition):
        yield


def _workload_plan(context: ArmContext, topic: str, repeat: int) -> WorkloadPlan:
    workload = context.cell.scenario.workload
    return WorkloadPlan(
        bootstrap=context.client_bootstrap,
        arm=context.arm,
        repeat=repeat,
        topic=topic,
        partitions=range(len(workload.leaders)),
        rate=workload.rate_per_partition,
        producers=workload.producers_per_partition,
        record_bytes=workload.record_bytes,
        bursts={
            partition: Burst(each.records, each.every_ms / 1000)
            for each in workload.bursts
            for partition in each.partitions
        },
        seed=context.cell.seed + repeat,  # a run with this --seed has it as its first repeat
        drain_seconds=DRAIN_SECONDS,
        client_timeout_ms=workload.client_timeout_ms,
        retries=workload.client_retries,
        idempotent=workload.idempotent,
        transactions=_transaction_plan(workload.transactions, topic),
        client=workload.client,
        load=Load(**workload.model_dump(include={each.name for each in fields(Load)})),
        groups=[_group_plan(topic, number, group) for number, group in enumerate(workload.groups)],
        read_from=workload.read_from, fetch_wait_ms=workload.fetch_wait_ms,
        begins_again=any(fault.loses_records for fault in context.cell.scenario.faults),
    )  # fmt: skip


def _group_plan(topic: str, number: int, spec: ConsumerGroup) -> GroupPlan:
    rejoin_ms = spec.rejoin_every_ms
    return GroupPlan(
        number=number, id=f"{topic}-group-{number}", protocol=spec.protocol, members=spec.members,
        commit_every=spec.commit_every_ms / 1000,
        rejoin_every=None if rejoin_ms is None else rejoin_ms / 1000,
        session_ms=spec.session_timeout_ms,
    )  # fmt: skip


def _transaction_plan(spec: Transactions | None, topic: str) -> TransactionPlan | None:
    if spec is None:
        return None
    return TransactionPlan(
        ids=transactional_ids(topic, spec.coordinators),
        until=None if spec.until_ms is None else spec.until_ms / 1000,
        **spec.model_dump(exclude={"coordinators", "until_ms"}),
    )


def _run_faults(
    context: ArmContext,
    faults: Sequence[Fault[Any]],
    workload: Workload,
    start: float,
    say: Callable[[str], None],
) -> None:
    """Inject and lift every fault at its time, then write the evidence."""
    with ExitStack() as lift_all:
        for fault in faults:
            lift_all.callback(fault.lift)
        late_s = [0.0] * len(faults)
        for moment in moments(context.cell.scenario.faults, faults):
            due = start + moment.at_ms / 1000
            # A fault that began late is lifted as much later, so that it acts as long as planned.
            workload.wait(due + (late_s[moment.fault] if moment.lifts else 0) - time.monotonic())
            say(moment.words)
            moment.act()
            if not moment.lifts:
                late_s[moment.fault] = time.monotonic() - due
    for fault in faults:
        context.files.faults.write(fault.evidence())


TRANSACTIONS: Final = "__transaction_state"
CONFIGS: Final = {
    # The settings with which the coordinator itself would create it.
    TRANSACTIONS: {
        "cleanup.policy": "compact",
        "compression.type": "uncompressed",
        "min.insync.replicas": "2",
        "unclean.leader.election.enable": "false",
    },
    "__consumer_offsets": {"cleanup.policy": "compact", "compression.type": "producer"},
}
PLACED_SECONDS: Final = 20.0


def place_coordinators(arm_cluster: ArmCluster, topic: str) -> None:
    """Let the planned brokers lead a topic's partitions; raises InsyncError if one does not.

    The broker that leads partition P of `__transaction_state` coordinates the transactional ids
    whose hash is P; groups have `__consumer_offsets`. An earlier repeat may have moved the leaders.
    """
    bootstrap = arm_cluster.cluster.bootstrap
    wanted = {number: ring(leader) for number, leader in enumerate(INTERNAL[topic])}
    if not _exists(bootstrap, topic):
        create_topic(bootstrap, topic, list(wanted.values()), CONFIGS[topic])
        return
    if not _led_as(bootstrap, topic, wanted, 0.0):
        return
    for number, replicas in wanted.items():
        arm_cluster.assign(topic, number, replicas)
    arm_cluster.elect(topic, list(wanted))
    last = _led_as(bootstrap, topic, wanted, PLACED_SECONDS)
    if last is not None:
        raise InsyncError(f"topic {topic}: {last}, expected each broker to lead one partition")


def transactional_ids(topic: str, coordinators: Sequence[int]) -> list[str]:
    """Return one transactional id per producer; `coordinators` lists their brokers in order."""
    return [_id(f"{topic}-{number}", broker) for number, broker in enumerate(coordinators)]


def partition_of(transactional_id: str) -> int:
    """Return the topic's partition of an id, computed from Java's hash of its ASCII text."""
    code = 0
    for letter in transactional_id:
        code = (31 * code + ord(letter)) & 0xFFFFFFFF
    return abs(code - (code >> 31 << 32)) % COORDINATORS


def _id(prefix: str, broker: int) -> str:
    names = (f"{prefix}-{salt}" for salt in count())
    return next(name for name in names if partition_of(name) == broker - 1)


def _exists(bootstrap: str, topic: str) -> bool:
    server = bootstrap.split(",")[0]  # all brokers know it or none: create_topic waits for all
    try:
        return bool(partitions(server, topic))
    except OSError as error:
        raise InsyncError(f"topic {topic}: no answer from {server}: {error}") from error


def _led_as(bootstrap: str, topic: str, wanted: dict[int, list[int]], seconds: float) -> str | None:
    """Wait until each partition's first replica leads it; return the last state seen if not."""
    return await_state(
        bootstrap,
        topic,
        lambda seen: (
            {number: leader for number, (leader, _) in seen.partitions.items()}
            == {number: replicas[0] for number, replicas in wanted.items()}
        ),
        time.monotonic() + seconds,
    )
