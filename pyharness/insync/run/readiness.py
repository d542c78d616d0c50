"""Wait until a cluster is ready for a repeat: full ISRs, warm brokers, no slow broker.

It also records what the cluster did not do in time, and when the harness was not scheduled.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Self

from confluent_kafka import KafkaException

from insync import arms
from insync.background import Background
from insync.brokers.cluster.admin import await_state, client, create_topic
from insync.brokers.cluster.common import AttachedCluster
from insync.brokers.kafka import wire
from insync.brokers.kafka.wire import Metadata
from insync.errors import InsyncError
from insync.events.schema import LivenessLine, LivenessType, now_ms
from insync.faults.registry import tags_of
from insync.nodes import BROKERS, node_words, ring
from insync.progress import Progress
from insync.run.context import ArmContext, asking
from insync.workload.prefill import prefill

TOPIC: Final = "warm-up"
ROUNDS: Final = 30
ANSWER_SECONDS: Final = 20.0
NOT_SLOW_SECONDS: Final = 120.0
LOOK_SECONDS: Final = 0.1


def warm_up(context: ArmContext, progress: Progress) -> None:
    """Make every broker lead and follow for a while, if the scenario sets a limit for fetch times.

    Does the same in every arm. Raises InsyncError if the brokers do not serve requests. Brokers
    that insync did not start stay as they are: they get no topic without the run's prefix.
    """
    if context.cell.scenario.broker.leader_fetch_process_time_max_ms is None:
        return
    if isinstance(context.arm_cluster.cluster, AttachedCluster):
        return
    progress.phase(f"{context.arm}: warming the brokers up")
    leaders = range(1, BROKERS + 1)
    create_topic(context.bootstrap, TOPIC, [ring(leader) for leader in leaders], {})
    for _ in range(ROUNDS):
        prefill(context.bootstrap, TOPIC, range(BROKERS), ANSWER_SECONDS)
    admin = client(context.bootstrap)
    try:
        admin.delete_topics([TOPIC])[TOPIC].result(ANSWER_SECONDS)
    except KafkaException as error:
        raise InsyncError(f"topic {TOPIC}: not deleted: {error.args[0].str()}") from error


def await_no_slow_broker(context: ArmContext) -> None:
    """In arms that report step-downs, wait until no broker counts itself or a peer as slow.

    Raises InsyncError with the last state seen if that takes longer than NOT_SLOW_SECONDS.
    """
    if not arms.reports_step_downs(context.arm):
        return
    until = time.monotonic() + NOT_SLOW_SECONDS
    for broker in range(1, BROKERS + 1):
        while (slow := _slow(context, context.arm_cluster.brokers[broker - 1])) is not None:
            if time.monotonic() > until:
                raise InsyncError(
                    f"broker {broker}: still slow after {NOT_SLOW_SECONDS:.0f} s: {slow}"
                )
            context.arm_cluster.check_nodes()
            time.sleep(LOOK_SECONDS)


def _slow(context: ArmContext, broker: int) -> str | None:
    """Return what a broker says of itself and its peers, None if none of them is slow."""
    with asking(context.arm_cluster.bridge, broker) as client:
        seen = client.counters().step_downs
    if not seen.slow and seen.slow_peers == 0:
        return None
    return f"slow {str(seen.slow).lower()}, slow peers {seen.slow_peers}, expected false and 0"


class IsrNotFullError(InsyncError):
    """An ISR was not full in time."""


FULL_ISR_SECONDS: Final = 60.0
EVERYONE: Final = range(1, BROKERS + 1)


def await_full_isr(
    bootstrap: str,
    topic: str,
    check: Callable[[], None],
    absent: Mapping[int, Collection[int]] | None = None,
    everyone: Sequence[int] = EVERYONE,
) -> None:
    """Wait until each broker shows a full ISR for every partition of the topic.

    `everyone` are all brokers, in order. They are replicas of every partition, except those in
    `absent`, by partition. `check` is called while this waits, and may raise. Raises
    IsrNotFullError with the last state seen after FULL_ISR_SECONDS.
    """
    full = partial(_has_full_isr, everyone, absent or {})
    last = await_state(bootstrap, topic, full, time.monotonic() + FULL_ISR_SECONDS, check)
    if last is not None:
        raise IsrNotFullError(f"topic {topic}: ISR not full in {FULL_ISR_SECONDS:.0f} s: {last}")


def _has_full_isr(
    everyone: Sequence[int], absent: Mapping[int, Collection[int]], seen: Metadata
) -> bool:
    return bool(seen.partitions) and all(
        isr == [broker for broker in everyone if broker not in absent.get(partition, ())]
        for partition, (_, isr) in seen.partitions.items()
    )


TICK_SECONDS: Final = 0.02


class SchedulingGaps(Background):
    """Measures between entering and leaving the `with` block how late its ticks are."""

    def __init__(self) -> None:
        super().__init__("insync-gaps", TICK_SECONDS)
        self._last = 0.0
        self._longest = 0.0

    @property
    def longest_gap_ms(self) -> float:
        return self._longest * 1000

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        return super().__enter__()

    def _step(self) -> None:
        now = time.monotonic()
        self._longest = max(self._longest, now - self._last - TICK_SECONDS)
        self._last = now


def await_back(context: ArmContext, within_s: float) -> None:
    """Wait, if a fault ended a node, until all serve; raises InsyncError if one does not."""
    until = time.monotonic() + within_s
    if not any(tags_of(fault).kills for fault in context.cell.scenario.faults):
        return
    for number, node in context.arm_cluster.cluster.nodes.items():
        while node.role != "zookeeper" and not context.arm_cluster.serves(number):
            context.arm_cluster.check_nodes()
            if time.monotonic() > until:
                raise InsyncError(f"{node_words(number)}: was started again, and does not serve")
            time.sleep(TICK_SECONDS)


@dataclass
class Liveness:
    """Records what the cluster did not do; `unusable` is why it cannot be used any more."""

    _context: ArmContext
    _repeat: int
    unusable: str | None = None
    _ended: set[int] = field(default_factory=set)

    @contextmanager
    def watch(self, otherwise: LivenessType | None = None) -> Iterator[None]:
        """Record what kept the block from its end, and go on; raises any other InsyncError.

        `otherwise` is what an error means that comes of neither an ISR nor a node. Once the cluster
        is unusable, further errors follow from that and are left out.
        """
        try:
            yield
        except InsyncError as error:
            self._record(error, otherwise)

    def check_nodes(self) -> None:
        """Record the nodes that have ended; the plan has restarted those that it killed."""
        for node, words in self._context.arm_cluster.ended_nodes().items():
            if node not in self._ended:
                self._ended.add(node)
                self._write("unplanned_exit", words, node)

    def _record(self, error: InsyncError, otherwise: LivenessType | None) -> None:
        self.check_nodes()
        if isinstance(error, IsrNotFullError):
            self._write("isr_not_recovered", str(error))
        elif otherwise is not None:
            self._write(otherwise, str(error))
        elif self.unusable is None:
            raise error

    def _write(self, kind: LivenessType, words: str, node: int | None = None) -> None:
        self._context.files.liveness.write(
            LivenessLine(
                type=kind, t_ms=now_ms(), arm=self._context.arm, repeat=self._repeat, node=node,
                note=words,
            )
        )  # fmt: skip
        if kind not in ("not_stopped", "hanging", "read_back_unfinished"):
            self.unusable = self.unusable or words


DECIDED: Final = ("PrepareCommit", "PrepareAbort")
OVER_WITHIN_S: Final = 30.0
LISTS_WITHIN_S: Final = 2.0


def await_no_hanging(
    ports: Sequence[int], ids: Collection[str], within_s: float = OVER_WITHIN_S
) -> None:
    """Wait until none of these transactions is decided; raises InsyncError with the last.

    One that stays so waits for a marker for ever: its partitions stay unreadable for
    `read_committed`, and its producer cannot begin another one. That of an earlier repeat may.
    """
    until = time.monotonic() + within_s
    while found := [
        f"{name} {state}" for port in ports for name, state in decided(port) if name in ids
    ]:
        if time.monotonic() > until:
            raise InsyncError(f"decided, and not over after {within_s:g} s: {', '.join(found)}")
        time.sleep(LOOK_SECONDS)


def decided(port: int) -> list[tuple[str, str]]:
    """Return the decided transactions of a broker: id and state; before 3.0 it does not say."""
    with suppress(OSError):
        return wire.transactions(port, DECIDED, LISTS_WITHIN_S)
    return []
