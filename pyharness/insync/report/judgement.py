"""Reads `verdict.json`, as far as the report shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from insync.events.run_info import Recorded, read_recorded
from insync.events.schema import VERDICT
from insync.outcome import Outcome


class Finding(Recorded):
    """One expectation of an arm (None: of the run), its outcome, and what was found.

    `observed`: nothing is expected of the arm.
    """

    arm: str | None
    expected: str
    outcome: Outcome
    found: str


class Judgement(Recorded):
    """The verdict of a run; `arms` holds a list per metric with a value per repeat.

    `engine` is what computed the tables. `findings` lists every expectation.
    """

    verdict: Outcome
    reason: str
    engine: str = ""
    findings: Sequence[Finding] = ()
    arms: Mapping[str, Mapping[str, Any]]

    @property
    def explained_by_data(self) -> list[str]:
        """The arms whose brokers' data may explain a finding that is not as expected.

        A finding of the whole run, such as that it was cut short, concerns all of them.
        """
        odd = [each.arm for each in self.findings if each.outcome.is_problem]
        return [arm for arm in self.arms if None in odd or arm in odd]


def read_judgement(folder: Path) -> Judgement:
    """Read `folder/verdict.json`; raises InputError if it is missing or not one."""
    return read_recorded(Judgement, folder, VERDICT, "a run folder with a verdict")
