"""Counts and judges liveness: unrecovered ISRs, nodes that ended, unfinished read-backs.

Such a thing is a failure of an arm under test with the agent, unless stock Kafka has it in the same
run as well: then the scenario, or the host, may be the cause. Without the agent it proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from insync import arms, metrics
from insync.analysis.verdict.facts import Metrics, RunFacts
from insync.events.run_info import RunInfo
from insync.events.schema import LivenessType
from insync.nodes import repeat_words

Row = Mapping[str, Any]

STOCK = "stock"

_METRICS: Mapping[LivenessType, str] = {
    "isr_not_recovered": "isr_not_recovered",
    "unplanned_exit": "unplanned_exits",
    "not_stopped": "nodes_not_stopped",
    "not_back": "nodes_not_back",
    "hanging": "hanging_transactions",
    "read_back_unfinished": "read_back_unfinished",
}
"""The metric that counts each type of line."""


def liveness_metrics(lines: Sequence[Row], *, complete: bool) -> Metrics:
    """Return the metrics of a repeat from its rows of the table `liveness`.

    A repeat that was cut short may lack lines, not have more.
    """
    found = {
        metric: sum(line["type"] == kind for line in lines) for kind, metric in _METRICS.items()
    }
    return {metric: count for metric, count in found.items() if count or complete}


def said_of(lines: Sequence[Row]) -> dict[str, str]:
    """Return the first note of each metric that is not 0, in one line."""
    said: dict[str, str] = {}
    for line in sorted(lines, key=lambda line: line["t_ms"]):
        said.setdefault(_METRICS[line["type"]], " ".join((line["note"] or "").split()))
    return said


@dataclass(frozen=True)
class NotLive:
    """One problem of an arm: whether the arm fails because of it (else it is unknown), in words."""

    arm: str
    fails: bool
    words: str


def not_live(run: RunInfo, facts: RunFacts) -> Iterator[NotLive]:
    """Yield the problems of every arm."""
    counted = {metric: _stock_has(metric, facts) for metric in metrics.liveness()}
    for metric, stock_has in counted.items():
        for arm, repeats in facts.arms.items():
            for number, repeat in enumerate(repeats):
                value = repeat.metrics[metric]
                if value:
                    where = f"{arm}, {repeat_words(number)}"
                    said = f" ({repeat.stuck[metric]})" if metric in repeat.stuck else ""
                    found = f"{where}: {metric} was {value:g}, expected 0{said}"
                    why = _excuse(arm, run, stock_has=stock_has)
                    yield NotLive(arm, why is None, found if why is None else f"{found}: {why}")


def _excuse(arm: str, run: RunInfo, *, stock_has: bool) -> str | None:
    """Return why the agent may not be the cause of a problem; None if nothing says so."""
    if not arms.has_agent(arm) or arm in run.control_arms:
        return "the arm is without the agent"
    return "stock Kafka has it as well" if stock_has else None


def _stock_has(metric: str, facts: RunFacts) -> bool:
    return any(
        repeat.metrics[metric]
        for arm, repeats in facts.arms.items()
        if arms.stand_in(arm, (STOCK,))
        for repeat in repeats
    )
