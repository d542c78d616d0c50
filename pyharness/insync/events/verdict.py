"""The files `verdict.json` and `matrix.json`: what was found of a run and of a matrix's cells.

The verdict of a run, and of each of its arms, is the worst of its findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ConfigDict, TypeAdapter

from insync.events.matrix_info import CELLS
from insync.events.run_info import Bound, Recorded, read_recorded
from insync.events.schema import VERDICT
from insync.events.writer import write_atomic
from insync.metrics import DEFAULT_FIGURES, of_verdict
from insync.nodes import repeat_words
from insync.outcome import Outcome, worst

EVIDENCE: Final = "evidence of every fault, no internal error"
NO_VIOLATION: Final = "nothing lost or corrupted"
LIVE: Final = "every ISR recovered, no node ended by itself, all was read back"
_FIRST: Final = (NO_VIOLATION, LIVE)
"""The expectations of which a problem is named first, because they are the gravest."""


class Finding(Recorded):
    """One expectation of an arm (None: of the run), and its outcome.

    `found` are figures, or each thing that is wrong. `observed`: nothing is expected of the arm.
    """

    arm: str | None
    expected: str
    outcome: Outcome
    found: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """All that was found, in one line."""
        return "; ".join(self.found)


def problems_of(findings: Iterable[Finding], outcome: Outcome) -> str:
    """Return the gravest problem of the findings with an outcome, and how many others there are."""
    own = sorted(
        (each for each in findings if each.outcome == outcome),
        key=lambda each: _FIRST.index(each.expected) if each.expected in _FIRST else len(_FIRST),
    )
    first, *more = dict.fromkeys(words for each in own for words in each.found)
    return first + (f" (and {len(more)} more)" if more else "")


class Cell(Recorded):
    """An arm of a scenario on a Kafka version: its outcome, and the figures of its repeats.

    The figures are further keys, as in `Verdict.arms`. `reason` says why it did not pass, without
    the arm's name. `figures` are the metrics that a matrix shows of it. `not_run` names the arms
    that its row lacks to prove something. `report` is None if there was no run.
    """

    model_config = ConfigDict(extra="allow")

    scenario: str
    arm: str
    kafka: str
    outcome: Outcome
    reason: str = ""
    expected: Mapping[str, Bound] = {}
    figures: Sequence[str] = DEFAULT_FIGURES
    not_run: str | None = None
    report: str | None = None
    findings: tuple[Finding, ...] = ()
    repeats: int

    @property
    def metrics(self) -> dict[str, Sequence[float | None]]:
        """Its metrics, one value per repeat; none of a cell that was skipped."""
        own = self.model_extra or {}
        return {name: own[name] for name in of_verdict() if name in own}

    def values(self, metric: str) -> Sequence[float | None]:
        """Return a metric, one value per repeat."""
        return self.metrics.get(metric, ())

    def total(self, figure: str) -> int:
        """Return the sum of a figure over the repeats; what is not known counts as 0."""
        return int(sum(value or 0 for value in (self.model_extra or {}).get(figure, ())))

    @property
    def once(self) -> bool:
        """Whether there was only one repeat."""
        return self.repeats == 1


class Verdict(Recorded):
    """The verdict of a run; `arms` holds the figures of each, with a value per repeat.

    `engine` is what computed the tables. `findings` lists every expectation.
    """

    scenario: str
    kafka: str
    client: str
    scale: float
    seed: int
    verdict: Outcome
    reason: str
    engine: str = ""
    findings: tuple[Finding, ...] = ()
    arms: Mapping[str, Mapping[str, Any]]

    @property
    def explained_by_data(self) -> list[str]:
        """The arms whose brokers' data may explain a finding that is not as expected.

        A finding of the whole run, such as that it was cut short, concerns all of them.
        """
        odd = [each.arm for each in self.findings if each.outcome.is_problem]
        return [arm for arm in self.arms if None in odd or arm in odd]

    def cell(self, arm: str, **more: Any) -> Cell:
        """Return an arm alone: missing evidence of another one does not count.

        An arm of which nothing is expected is observed if all else passed.
        """
        own = [each for each in self.findings if each.arm == arm]
        outcomes = {each.outcome for each in own}
        observed = outcomes == {Outcome.PASS, Outcome.OBSERVED}
        outcome = Outcome.OBSERVED if observed else worst(outcomes)
        reason = "" if outcome == Outcome.PASS or not own else problems_of(own, outcome)
        reason = reason.removeprefix(f"{arm}, ")
        if self.arms[arm]["repeats"] == 1:
            reason = reason.removeprefix(f"{repeat_words(0)}: ")
        known = {"scenario": self.scenario, "kafka": self.kafka, "arm": arm, "findings": own}
        return Cell.model_validate(
            {**known, "outcome": outcome, "reason": reason, **self.arms[arm], **more}
        )


def read_verdict(folder: Path) -> Verdict:
    """Read `folder/verdict.json`; raises InputError if it is missing or not one."""
    return read_recorded(Verdict, folder, VERDICT, "a run folder with a verdict")


def write_verdict(folder: Path, verdict: Verdict) -> Path:
    """Write `folder/verdict.json` and return its path."""
    return write_atomic(folder / VERDICT, verdict.model_dump_json(indent=2) + "\n")


def read_cells(folder: Path) -> list[Cell]:
    """Read `folder/matrix.json`; raises InputError if it is missing or not one."""
    return read_recorded(list[Cell], folder, CELLS, "a matrix folder with cells")


def write_cells(folder: Path, cells: Sequence[Cell]) -> Path:
    """Write `folder/matrix.json` and return its path."""
    text = TypeAdapter(list[Cell]).dump_json(list(cells), indent=2).decode()
    return write_atomic(folder / CELLS, text + "\n")
