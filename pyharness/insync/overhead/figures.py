"""The table of figures that a measurement of brokers gives, and how two arms are compared by them.

A *count* is a number per fetch: it does not depend on how fast or how busy the machine is, so it
decides. A *time* depends on it, so it is shown with its interval and decides nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil, sqrt
from statistics import median, stdev
from typing import Any, Final, Literal

from insync.statistics import Interval, median_interval, pairs_needed, sign_flip_p

Kind = Literal["count", "time"]
Values = Mapping[str, float]
"""Figures by their names."""
_ONE_PERCENT: Final = 0.01
_NORMAL_95: Final = 1.96


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """One figure.

    Attributes:
        name: its name in overhead.json: a contract.
        kind: whether it is counted per fetch, or depends on the machine.
        heading: its short name with its unit, for tables.
        digits: the digits that are shown after the point.
        says: what it is, for docs and `--help`.

    """

    name: str
    kind: Kind
    heading: str
    digits: int
    says: str


FIGURES: Final = (
    FigureSpec(
        "bytes_per_fetch", "count", "bytes/fetch", 0,
        "bytes that request handlers, network threads and the purgatory's threads allocate per"
        " follower fetch, while nothing is produced",
    ),
    FigureSpec(
        "calls_per_fetch", "count", "calls/fetch", 3,
        "read and write system calls of the broker per follower fetch, while nothing is produced",
    ),
    FigureSpec(
        "blocked_per_fetch", "count", "blocked/fetch", 4,
        "how often these threads wait for a monitor that another thread holds, per follower fetch",
    ),
    FigureSpec(
        "waited_per_fetch", "count", "waits/fetch", 3,
        "how often these threads park, for a lock, a queue or a time limit, per follower fetch",
    ),
    FigureSpec("records_per_s", "time", "records/s", 0, "records produced per second"),
    FigureSpec(
        "consumed_per_s", "time", "consumed/s", 0,
        "records that one consumer then gets per second",
    ),
    FigureSpec("p50_ms", "time", "p50 ms", 0, "median latency of a produced record"),
    FigureSpec("p99_ms", "time", "p99 ms", 0, "latency that 99 % of the records stay below"),
    FigureSpec("p999_ms", "time", "p99.9 ms", 0, "latency that 99.9 % of the records stay below"),
    FigureSpec(
        "cpu_s_per_gb", "time", "CPU s/GB", 2,
        "CPU seconds of all brokers per 10^9 bytes produced",
    ),
    FigureSpec(
        "expiry_ms", "time", "isr-expiration ms", 2,
        "CPU milliseconds of a broker's scheduler threads per pass of isr-expiration, while nothing"
        " is produced",
    ),
    FigureSpec("ready_s", "time", "ready s", 1, "seconds until the cluster of four nodes serves"),
    FigureSpec(
        "start_cpu_s", "time", "start CPU s", 2,
        "CPU seconds of a broker until the cluster serves, mean of the brokers",
    ),
    FigureSpec("heap_mb", "time", "heap MB", 1, "heap of a broker after a collection, mean"),
    FigureSpec("resident_mb", "time", "resident MB", 0, "resident memory of a broker, mean"),
)  # fmt: skip

OF_START: Final = tuple(spec for spec in FIGURES if spec.name in ("ready_s", "start_cpu_s"))
OF_SCALE: Final = tuple(
    spec
    for spec in FIGURES
    if spec.name in ("bytes_per_fetch", "calls_per_fetch", "expiry_ms", "heap_mb", "resident_mb")
)


@dataclass(frozen=True, slots=True)
class Difference:
    """How a figure of one arm differs from that of the baseline, over rounds of both.

    Attributes:
        arm: the arm.
        figure: the figure's name.
        base: median of the baseline.
        value: median of the arm.
        change: median of the differences within rounds, relative to `base`; None if `base` is 0.
        low: lower end of the change's interval of at least 95 %, None with fewer than 6 rounds.
        high: upper end.
        p: p-value of the sign-flip test, None if there are too few rounds for one.
        differs: whether the interval leaves out 0; None without an interval.
        rounds_for_1_percent: rounds that an interval of +-1 % would need, estimated from the
            standard deviation of the differences; None below two rounds.

    """

    arm: str
    figure: str
    base: float
    value: float
    change: float | None
    low: float | None
    high: float | None
    p: float | None
    differs: bool | None
    rounds_for_1_percent: int | None

    def as_json(self) -> dict[str, Any]:
        """Return it as an object of overhead.json."""
        return asdict(self)


def differences(
    rounds: Sequence[Mapping[str, Values]],
    baseline: str,
    figures: Sequence[FigureSpec] = FIGURES,
) -> list[Difference]:
    """Compare every other arm with `baseline`, figure by figure, within each round.

    `rounds` hold the figures of each arm; a round that lacks an arm does not count for it.
    """
    arms = dict.fromkeys(arm for each in rounds for arm in each if arm != baseline)
    found = []
    for arm in arms:
        pairs = [(each[baseline], each[arm]) for each in rounds if {baseline, arm} <= each.keys()]
        for spec in figures:
            values = [(one[spec.name], other[spec.name]) for one, other in pairs]
            if values:
                found.append(_difference(arm, spec.name, values))
    return found


def _difference(arm: str, figure: str, pairs: Sequence[tuple[float, float]]) -> Difference:
    base = median(one for one, _ in pairs)
    changes = [other - one for one, other in pairs]
    interval = median_interval(changes)
    return Difference(
        arm=arm,
        figure=figure,
        base=base,
        value=median(other for _, other in pairs),
        change=_relative(median(changes), base),
        low=None if interval is None else _relative(interval.low, base),
        high=None if interval is None else _relative(interval.high, base),
        p=sign_flip_p(changes),
        differs=None if interval is None else _leaves_out_zero(interval),
        rounds_for_1_percent=_rounds_for_1_percent(changes, base),
    )


def _relative(change: float, base: float) -> float | None:
    return change / base if base else None


def _leaves_out_zero(interval: Interval) -> bool:
    return interval.low > 0 or interval.high < 0


def _rounds_for_1_percent(changes: Sequence[float], base: float) -> int | None:
    if len(changes) < 2 or base == 0:
        return None
    # Of a mean of independent differences; an interval of their median needs about as many again.
    needed = (_NORMAL_95 * stdev(changes) / (_ONE_PERCENT * abs(base))) ** 2
    return max(pairs_needed(), ceil(needed * sqrt(2)))
