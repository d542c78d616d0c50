"""Judges liveness: ISRs that did not recover, nodes that ended, read-backs that did not finish.

Such a thing is a failure of an arm under test with the agent, unless stock Kafka has it in the same
run as well: then the scenario, or the host, may be the cause. Without the agent it proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from insync import arms, metrics
from insync.analysis.verdict.facts import RunFacts
from insync.events.run_info import RunInfo
from insync.repeats import repeat_words

STOCK = "stock"


@dataclass(frozen=True)
class NotLive:
    """One problem of an arm: whether the arm fails because of it (else it is unknown), in words."""

    arm: str
    fails: bool
    words: str


def not_live(run: RunInfo, facts: RunFacts, everyone: RunFacts) -> Iterator[NotLive]:
    """Yield the problems of the arms in `facts`; `everyone` has the stock arm, if it was run."""
    counted = {metric: _stock_has(metric, everyone) for metric in metrics.liveness()}
    for metric, stock_has in counted.items():
        for arm, repeats in facts.arms.items():
            for number, repeat in enumerate(repeats):
                value = repeat.metrics[metric]
                if value:
                    found = f"{arm}, {repeat_words(number)}: {metric} was {value:g}, expected 0"
                    why = _excuse(arm, run, stock_has=stock_has)
                    yield NotLive(arm, why is None, found if why is None else f"{found}: {why}")


def _excuse(arm: str, run: RunInfo, *, stock_has: bool) -> str | None:
    """Return why the agent may not be the cause of a problem; None if nothing says so."""
    if not arms.has_agent(arm) or arm in run.control_arms:
        return "the arm is without the agent"
    return "stock Kafka has it as well" if stock_has else None


def _stock_has(metric: str, everyone: RunFacts) -> bool:
    return any(
        repeat.metrics[metric]
        for arm, repeats in everyone.arms.items()
        if arms.stand_in(arm, (STOCK,))
        for repeat in repeats
    )
