"""The table of figures that a measurement of brokers gives, and how two arms are compared by them.

What is counted per fetch does not depend on how fast or how busy the machine is; times do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from insync.lists import grouped
from insync.outcome import Outcome
from insync.result import Result, Table
from insync.statistics import Change, change_of_pairs

Values = Mapping[str, float]
"""Figures by their names."""
Round = Mapping[str, Values]
"""The figures of each arm."""


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """One figure; its name in results and criteria is a contract."""

    name: str
    heading: str
    digits: int
    says: str

    def shown(self, value: float) -> str:
        return f"{value:,.{self.digits}f}"


FIGURES: Final = (
    FigureSpec(
        "bytes_per_fetch", "bytes/fetch", 0,
        "bytes that request handlers, network threads and the purgatory's threads allocate per"
        " follower fetch, while nothing is produced",
    ),
    FigureSpec(
        "calls_per_fetch", "calls/fetch", 3,
        "read and write system calls of the broker per follower fetch, while nothing is produced",
    ),
    FigureSpec(
        "blocked_per_fetch", "blocked/fetch", 4,
        "how often these threads wait for a monitor that another thread holds, per follower fetch",
    ),
    FigureSpec(
        "waited_per_fetch", "waits/fetch", 3,
        "how often these threads park, for a lock, a queue or a time limit, per follower fetch",
    ),
    FigureSpec("records_per_s", "records/s", 0, "records produced per second"),
    FigureSpec("p50_ms", "p50 ms", 0, "median latency of a produced record"),
    FigureSpec("p99_ms", "p99 ms", 0, "latency that 99 % of the records stay below"),
    FigureSpec("p999_ms", "p99.9 ms", 0, "latency that 99.9 % of the records stay below"),
    FigureSpec("cpu_s_per_gb", "CPU s/GB", 2, "CPU seconds of all brokers per 10^9 bytes produced"),
    FigureSpec(
        "expiry_ms", "isr-expiration ms", 2,
        "CPU milliseconds of a broker's scheduler threads per pass of isr-expiration, while nothing"
        " is produced",
    ),
    FigureSpec("ready_s", "ready s", 1, "seconds until the cluster of four nodes serves"),
    FigureSpec(
        "start_cpu_s", "start CPU s", 2,
        "CPU seconds of a broker until the cluster serves, mean of the brokers",
    ),
    FigureSpec("heap_mb", "heap MB", 1, "heap of a broker after a collection, mean"),
    FigureSpec("resident_mb", "resident MB", 0, "resident memory of a broker, mean"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cost:
    """How a figure of one arm differs from that of the baseline, over rounds of both.

    `base` and `value` are medians. `change` is of the differences within rounds relative to `base`,
    None if that is 0.
    """

    arm: str
    figure: FigureSpec
    base: float
    value: float
    change: Change | None

    @property
    def words(self) -> str:
        """The value, and the change with its interval if there is one."""
        shown, change = self.figure.shown(self.value), self.change
        if change is None:
            return shown
        if change.low is None or change.high is None:
            return f"{shown} ({change.difference:+.1%})"
        return f"{shown} ({change.low:+.1%} to {change.high:+.1%})"

    def check(
        self, expected: str = "", outcome: Outcome = Outcome.OBSERVED, why: str = ""
    ) -> Result:
        """Return it as a check; by default nothing is expected of it."""
        return Result(
            of=self.figure.heading,
            expected=expected or self.figure.says,
            baseline=self.figure.shown(self.base),
            found="; ".join(filter(None, (self.words, why))),
            outcome=outcome,
        )


def differences(rounds: Sequence[Round], baseline: str) -> list[Cost]:
    """Compare every other arm with `baseline`, figure by figure, within each round.

    A round that lacks an arm does not count for it; figures that were not measured are left out.
    """
    arms = dict.fromkeys(arm for each in rounds for arm in each if arm != baseline)
    return [
        _difference(arm, spec, values)
        for arm in arms
        for spec in FIGURES
        if (
            values := [
                (each[baseline][spec.name], each[arm][spec.name])
                for each in rounds
                if {baseline, arm} <= each.keys() and spec.name in each[arm]
            ]
        )
    ]


def _difference(arm: str, figure: FigureSpec, pairs: Sequence[tuple[float, float]]) -> Cost:
    base = median(one for one, _ in pairs)
    change = change_of_pairs([(other - one) / base for one, other in pairs]) if base else None
    return Cost(arm, figure, base, median(other for _, other in pairs), change)


def table(rounds: Sequence[Round], baseline: str) -> Table:
    """Return a row per figure and a column per arm."""
    found = differences(rounds, baseline)
    arms = list(dict.fromkeys(each.arm for each in found))
    return Table(
        title=f"Medians of {len(rounds)} rounds, and changes from {baseline} within a round (95 %)",
        columns=["figure", baseline, *arms],
        numeric=range(1, len(arms) + 2),
        rows=[
            [heading, own[0].figure.shown(own[0].base), *(each.words for each in own)]
            for heading, own in grouped(found, lambda each: each.figure.heading).items()
        ],
        empty="No round is complete.",
    )
