"""Run a scenario for a test, and compare its verdict with the expected one."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from insync import extras
from insync.engines import AnalysisOptions
from insync.errors import InputError
from insync.events.schema import REPORT
from insync.outcome import Outcome
from insync.progress import Progress
from insync.run.analysis import analyse
from insync.run.request import RunRequest
from insync.run.runner import run
from insync.testing.clusters import chosen
from insync.testing.options import Asked

VERDICTS: Final = (Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN)


class VerdictError(AssertionError):
    """The verdict on a scenario is not the expected one; the message names the report."""


@dataclass(frozen=True)
class ScenarioResult:
    """The verdict on a scenario, and `document`, the content of its verdict.json."""

    scenario: str
    verdict: str
    reason: str
    document: Mapping[str, Any]
    report: Path

    def check(self, expected: str) -> None:
        """Raise VerdictError unless the verdict is the expected one."""
        if self.verdict != expected:
            raise VerdictError(
                f"scenario {self.scenario}: {self.verdict}, expected {expected}: {self.reason}\n"
                f"report: {self.report}"
            )


def run_scenario(asked: Asked, keys: Mapping[str, Any], out: Path) -> ScenarioResult:
    """Run a scenario into the folder `out` and analyse it; raises InputError and InsyncError.

    `keys` are those of the marker.
    """
    expected = keys.get("expect", "pass")
    if expected not in VERDICTS:
        raise InputError(f"expect: {expected!r}, expected one of {', '.join(VERDICTS)}")
    if asked.cluster == "existing":
        raise InputError("scenario: --insync-cluster existing, expected brokers of insync's own")
    extras.require_analysis("scenario")
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
    return ScenarioResult(
        verdict["scenario"], verdict["verdict"], verdict["reason"], verdict, folder / REPORT
    )
