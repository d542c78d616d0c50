"""Run a scenario for a test, and compare its verdict with the expected one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from insync import engines
from insync.engines import AnalysisOptions
from insync.errors import InputError
from insync.events.schema import REPORT
from insync.events.verdict import Verdict
from insync.outcome import Outcome
from insync.progress import Progress
from insync.run.analysis import analyse
from insync.run.request import RunRequest
from insync.run.runner import run
from insync.testing.clusters import chosen
from insync.testing.options import Asked

VERDICTS: Final = (Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN)


class VerdictError(AssertionError):
    """A verdict is not the expected one; the message names the report."""


@dataclass(frozen=True)
class Judged:
    """The verdict on a scenario or a history, `found`, and where its report is."""

    of: str
    found: Verdict
    report: Path

    def __str__(self) -> str:
        """Return the verdict, why it is that one, and where the report is."""
        return f"{self.of}: {self.found.verdict}: {self.found.reason}\nreport: {self.report}"


def check(found: Sequence[Judged], expected: str) -> None:
    """Raise VerdictError unless every verdict is the expected one."""
    others = [each for each in found if each.found.verdict != expected]
    if others:
        raise VerdictError(f"expected {expected}:\n" + "\n".join(map(str, others)))


def run_scenario(asked: Asked, keys: Mapping[str, Any], out: Path) -> Judged:
    """Run a scenario into the folder `out` and analyse it; raises InputError and InsyncError.

    `keys` are those of the marker.
    """
    expected = keys.get("expect", "pass")
    if expected not in VERDICTS:
        raise InputError(f"expect: {expected!r}, expected one of {', '.join(VERDICTS)}")
    if asked.cluster == "existing":
        raise InputError("scenario: --insync-cluster existing, expected brokers of insync's own")
    engines.require_analysis("scenario")
    request = RunRequest(
        scenario=str(keys["scenario"]),
        arms=keys.get("arms"),  # None: the scenario's
        kafka=asked.kafka,
        cluster=chosen(asked)[0],
        scale=keys.get("scale", 1.0),
        repeats=keys.get("repeats"),
        out=out,
    )
    folder = run(request, Progress())
    (verdict,) = analyse([folder], AnalysisOptions(), Progress())
    return Judged(f"scenario {verdict.scenario}", verdict, folder / REPORT)
