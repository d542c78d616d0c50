"""Makes up a repeat in which one metric has a given value.

`MADE` has one way for each metric that a scenario bounds. A repeat
has two partitions, led by brokers 1 and 2, and only the lines that its metric is computed from.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from insync.events import schema

Line = dict[str, Any]

ARM: Final = "step-down"
LEADERS: Final = (1, 2)
ALL: Final = (1, 2, 3)
BEGIN: Final = 500.0
"""When a repeat's events begin, in ms from its start."""
SPACE: Final = 10.0
"""Between two events of a series, in ms."""
COOLDOWN_MS: Final = 4.0
"""Of a leader that steps down: shorter than `SPACE`."""


@dataclass
class Repeat:
    """The lines of one repeat by their file; times are in ms from its start."""

    number: int
    start_ms: float
    length_ms: float | None = None
    lines: dict[str, list[Line]] = field(default_factory=lambda: defaultdict(list))

    def add(self, file: str, at: float | None = None, **fields: Any) -> None:
        """Add a line; `at` is its time."""
        time = {} if at is None else {"t_ms": self.start_ms + at}
        key = {"arm": ARM, "repeat": self.number, "topic": f"made-up-r{self.number}"}
        self.lines[file].append({**key, **time, **fields})

    def end(self, length_ms: float) -> None:
        """Add the repeat's beginning and end, unless its history has set its length before."""
        self.length_ms = self.length_ms or length_ms
        ends = (("repeat_started", -400.0), ("steady", 0.0), ("repeat_ended", self.length_ms))
        for kind, at in ends:
            self.add(schema.PHASES, at, type=kind, note="")

    def isr(
        self, at: float, isr: Sequence[int], *, partitions: Sequence[int] = (0,),
        leader: int | None = None, replicas: Sequence[int] = ALL,
    ) -> None:  # fmt: skip
        """Add a state of partitions, whose first leader leads unless another one is given."""
        for partition in partitions:
            led_by = LEADERS[partition] if leader is None else leader
            self.add(
                schema.ISR, at, kind="partition", partition=partition, leader=led_by,
                leader_epoch=len(self.lines[schema.ISR]), isr=list(isr), elr=[],
                replicas=list(replicas),
            )  # fmt: skip

    def fault(
        self, kind: str, at: float, for_ms: float, broker: int = 3, *, mode: str = "",
        target: Sequence[str] = (),
    ) -> None:  # fmt: skip
        begin = self.start_ms + at
        self.add(
            schema.FAULTS, fault=kind, site="", mode=mode, broker=broker, target=list(target),
            injected_ms=begin, lifted_ms=begin + for_ms, calls_held=0, held_ms=0.0,
            longest_held_ms=0.0, planned_ms=for_ms,
        )  # fmt: skip

    def record(
        self, seq: int, at: float, latency: float = 1.0, *, partition: int = 0,
        error: str | None = None,
    ) -> None:  # fmt: skip
        due = self.start_ms + at
        self.add(
            schema.repeat_file("produce", 0), partition=partition, seq=seq, sent_ms=due,
            done_ms=due + latency, latency_ms=latency, error=error,
            offset=None if error else seq, producer=0,
        )  # fmt: skip

    def read(self, seq: int, offset: int, nth: int, at: float | None = None) -> None:
        """Let the consumer read a record, at a time or one after the other."""
        self.add(
            schema.repeat_file("consume", 0), partition=0, offset=offset, seq=seq, nth=nth,
            read_ms=self.start_ms + (BEGIN + SPACE * nth if at is None else at),
        )  # fmt: skip

    def group(self, at: float, what: str, offset: int | None = None, member: int = 0) -> None:
        """Let a member of a consumer group do something in partition 0."""
        self.add(
            schema.repeat_file("group", 0), at, partition=0, group=0, protocol="classic", type=what,
            member=member, offset=offset,
        )  # fmt: skip


Way = Callable[[Repeat, float], None]
"""Changes a repeat so that a metric has a value."""


def _series(many: float) -> list[float]:
    return [BEGIN + SPACE * number for number in range(round(many))]


def _shrinks(repeat: Repeat, many: float) -> None:
    for at in _series(many):
        repeat.isr(at, (1, 2))
        repeat.isr(at + SPACE / 2, ALL)


def _alone(leader: int) -> Way:
    def made(repeat: Repeat, value: float) -> None:
        if value:
            repeat.isr(BEGIN, (1,), leader=leader)
            repeat.isr(BEGIN + value, ALL)

    return made


def _leader_changes(repeat: Repeat, many: float) -> None:
    for number, at in enumerate(_series(many)):
        repeat.isr(at, ALL, leader=1 if number % 2 else 2)


def _return(repeat: Repeat, value: float) -> None:
    repeat.isr(BEGIN, ALL, leader=2)
    repeat.isr(BEGIN + value, ALL, leader=1)


def _dropped_after(kind: str) -> Way:
    def made(repeat: Repeat, value: float) -> None:
        at = BEGIN + value if value else BEGIN / 2
        repeat.isr(at, (1, 2), partitions=range(len(LEADERS)))
        repeat.fault(kind, BEGIN, for_ms=value + 100.0)

    return made


def _let_in(repeat: Repeat, many: float) -> None:
    repeat.isr(BEGIN / 2, (1, 2))
    repeat.fault("freeze", BEGIN, for_ms=1_000.0)
    for at in _series(many):
        repeat.isr(at + 1.0, ALL)
        repeat.isr(at + SPACE / 2, (1, 2))


def _added(repeat: Repeat, value: float) -> None:
    repeat.isr(-1.0, (1, 2), replicas=(1, 2))
    repeat.isr(BEGIN, (1, 2))
    repeat.isr(BEGIN + value, ALL)


def _read_after(repeat: Repeat, value: float) -> None:
    repeat.record(0, BEGIN)
    repeat.read(0, 0, nth=0, at=BEGIN + value)


def _acked(repeat: Repeat, many: float) -> None:
    for seq, at in enumerate(_series(many)):
        repeat.record(seq, at)


def _lost(repeat: Repeat, many: float) -> None:
    _acked(repeat, many + 1)
    repeat.read(0, 0, nth=0)


def _lost_at_unclean(repeat: Repeat, many: float) -> None:
    _lost(repeat, many)
    at = BEGIN + SPACE * (many + 1)
    repeat.fault("elect", at, 50.0, 2, mode="unclean", target=[f"made-up-r{repeat.number}-0"])
    repeat.isr(at, (2,), leader=2)
    repeat.length_ms = at + BEGIN


def _ack_gap(repeat: Repeat, value: float) -> None:
    for partition in range(len(LEADERS)):
        repeat.record(0, 0.0, partition=partition)
        repeat.record(1, value, partition=partition)


def _during_pause(acked_at: float) -> Way:
    def made(repeat: Repeat, many: float) -> None:
        repeat.fault("freeze", BEGIN, for_ms=1_000.0)
        repeat.record(0, 0.0)
        for seq, at in enumerate(_series(many), start=1):
            repeat.record(seq, at, latency=acked_at - at)

    return made


def _refused(repeat: Repeat, many: float) -> None:
    repeat.record(0, 0.0)
    for seq, at in enumerate(_series(many), start=1):
        repeat.record(seq, at, error="NOT_ENOUGH_REPLICAS")


def _duplicated(repeat: Repeat, many: float) -> None:
    _acked(repeat, many + 1)
    for seq in range(round(many) + 1):
        repeat.read(seq, seq, nth=seq)
    for seq in range(round(many)):
        repeat.read(seq, seq + 100, nth=seq + 100)


def _step_downs(space: float) -> Way:
    def made(repeat: Repeat, many: float) -> None:
        for number in range(round(many)):
            repeat.add(
                schema.STEP_DOWNS, BEGIN + space * number, type="answered", broker=1, partition=0,
                leader_epoch=number, successor=2, outcome="done", way="alter-partition",
            )  # fmt: skip

    return made


def _commit_gap(repeat: Repeat, value: float) -> None:
    repeat.length_ms = value + 100.0
    times = {"begun_ms": 10.0, "asked_ms": 50.0, "ended_ms": 100.0}
    repeat.record(0, 10.0)
    repeat.lines[schema.repeat_file("produce", 0)][-1]["transaction"] = 0
    repeat.add(
        schema.repeat_file("transactions", 0), transaction=0, producer=0, records=1, took_ms=50.0,
        wanted="commit", end="committed", error=None,
        **{name: repeat.start_ms + at for name, at in times.items()},
    )  # fmt: skip


def _rebalances(repeat: Repeat, many: float) -> None:
    repeat.group(0.0, "assigned")
    for at in _series(many):
        repeat.group(at, "revoked")


def _group_gap(repeat: Repeat, value: float) -> None:
    repeat.group(BEGIN, "revoked")
    repeat.group(BEGIN + value, "assigned", member=1)


def _unread_by_group(repeat: Repeat, many: float) -> None:
    _acked(repeat, many + 1)
    for seq in range(round(many) + 1):
        repeat.read(seq, seq, nth=seq)
    repeat.group(BEGIN, "read", offset=0)


MADE: Final[dict[str, Way]] = {
    "isr_shrinks": _shrinks,
    "false_alarms": _shrinks,
    "under_replicated": lambda repeat, many: repeat.isr(
        BEGIN, (1, 2), partitions=range(round(many))
    ),
    "min_isr_size": lambda repeat, size: repeat.isr(BEGIN, ALL[: round(size)]),
    "under_min_isr_ms": _alone(leader=1),
    "offline_ms": _alone(leader=-1),
    "leader_changes": _leader_changes,
    "soonest_return_ms": _return,
    "first_shrink_ms": _dropped_after("freeze"),
    "detected_ms": _dropped_after("freeze"),
    "let_in_at_fault": _let_in,
    "lost": _lost,
    "lost_at_unclean": _lost_at_unclean,
    "dead_follower_dropped_ms": _dropped_after("kill"),
    "joined_ms": _added,
    "max_ms": lambda repeat, value: repeat.record(0, BEGIN, value),
    "mean_ack_ms": lambda repeat, value: repeat.record(0, BEGIN, value),
    "max_end_to_end_ms": _read_after,
    "acked": _acked,
    "max_ack_gap_ms": _ack_gap,
    "acked_during_pause": _during_pause(acked_at=BEGIN + 900.0),
    "acked_after_pause": _during_pause(acked_at=BEGIN + 1_100.0),
    "refused": _refused,
    "duplicated": _duplicated,
    "step_downs": _step_downs(SPACE),
    "most_step_downs": _step_downs(COOLDOWN_MS / 16),
    "max_commit_gap_ms": _commit_gap,
    "group_rebalances": _rebalances,
    "max_group_gap_ms": _group_gap,
    "group_unread": _unread_by_group,
}
"""How each metric of a repeat with faults and a workload gets a value."""


def made(metric: str, value: float, number: int, start_ms: float) -> Repeat:
    repeat = Repeat(number, start_ms)
    for partition in range(len(LEADERS)):
        repeat.isr(-300.0, ALL, partitions=(partition,))
    MADE[metric](repeat, value)
    repeat.end(2 * BEGIN + (value if metric.endswith("_ms") else 1_000.0))
    return repeat
