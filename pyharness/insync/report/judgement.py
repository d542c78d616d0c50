"""Reads `verdict.json`, as far as the report shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from insync.errors import InputError
from insync.events.run_info import first_problem
from insync.events.schema import VERDICT

Outcome = Literal["pass", "unknown", "fail"]


class Finding(BaseModel):
    """One expectation of an arm (None: of the run), its outcome, and what was found."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    arm: str | None
    expected: str
    outcome: Outcome
    found: str


class Judgement(BaseModel):
    """The verdict of a run; `arms` holds a list per metric with a value per repeat.

    `findings` lists every expectation; files of older versions do not have it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    verdict: Outcome
    reason: str
    findings: Sequence[Finding] = ()
    arms: Mapping[str, Mapping[str, Any]]


def read_judgement(folder: Path) -> Judgement:
    """Read `folder/verdict.json`; raises InputError if it is missing or not one."""
    path = folder / VERDICT
    try:
        return Judgement.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected the verdict of a run") from None
    except ValidationError as error:
        raise InputError(f"{path}: {first_problem(error)}") from None
