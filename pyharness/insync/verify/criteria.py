"""Criteria: what a metric or a cost of the candidate must be beside the baseline's.

They are comparisons as a scenario has them, of the candidate with the baseline.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Final, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, model_validator

from insync.arms import ARMS, expected_as
from insync.errors import InputError
from insync.events.run_info import ArmLimit, Recorded, first_problem
from insync.metrics import METRICS, of_verdict
from insync.outcome import Outcome
from insync.overhead.figures import FIGURES

DEFAULT: Final = "criteria.toml"
Values = Sequence[float | None]
Judged = tuple[Outcome, str]
"""An outcome, and its reason if it is not a pass."""


class Criterion(ArmLimit):
    """A criterion: of a metric of the level faults, or of a figure of the level cost.

    `claims` are the arms as which a candidate must be expected to behave; None: any.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    arm: Literal["candidate"] = "candidate"
    against: Literal["the baseline"] = "the baseline"
    scenarios: tuple[str, ...] | None = Field(default=None, min_length=1)
    claims: tuple[str, ...] | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.metric not in of_verdict() and not self.is_of_cost:
            raise ValueError(f"no metric {self.metric!r}")
        if self.scenarios and self.is_of_cost:
            raise ValueError(f"scenarios: none of them measures {self.metric}")
        if sum(each is not None for each in (self.at_most, self.at_least, self.below)) != 1:
            raise ValueError("expected one of at_most, at_least and below")
        if unknown := set(self.claims or ()) - ARMS.keys():
            raise ValueError(f"{', '.join(sorted(unknown))}: no such arm")
        return self

    @property
    def is_of_cost(self) -> bool:
        """Whether it is judged of a figure of `insync overhead`."""
        return any(figure.name == self.metric for figure in FIGURES)

    def applies(self, scenario: str) -> bool:
        """Whether it is judged in a scenario."""
        return not self.is_of_cost and (self.scenarios is None or scenario in self.scenarios)

    def is_claimed(self, claims: str | None) -> bool:
        """Whether it is judged of a candidate with such a claim."""
        names = () if claims is None else expected_as(claims)
        return self.claims is None or bool(set(self.claims) & set(names))


def judge(criterion: Criterion, baseline: Values, candidate: Values) -> Judged:
    """Return whether a candidate's values fulfil a criterion; unknown if one is missing.

    Of times the medians of the repeats are compared; of others every repeat must keep the limit.
    """
    metric = criterion.metric
    known = [value for value in candidate if value is not None]
    beside = [value for value in baseline if value is not None]
    if not known or not len(known) == len(candidate) == len(beside):
        return Outcome.UNKNOWN, f"{metric} {criterion}: a repeat has no value of {metric}"
    if METRICS[metric].is_time:
        known, beside = [median(known)], [median(beside)]
    wrong = [
        (value, other)
        for value, other in zip(known, beside, strict=True)
        if not criterion.holds(value, other)
    ]
    if not wrong:
        return Outcome.PASS, ""
    value, other = wrong[0]
    often = f" in {len(wrong)} of {len(known)} repeats" if len(known) > 1 else ""
    return Outcome.FAIL, (
        f"expected {metric} {criterion}, found {value:g}, the baseline {other:g}{often}"
    )


class Criteria(Recorded):
    """The content of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = Field(alias="schema")
    compare: tuple[Criterion, ...] = ()


def read(file: Path | None) -> tuple[str, tuple[Criterion, ...]]:
    """Return the text and the criteria of a file, or of insync's own; raises InputError."""
    origin = DEFAULT if file is None else str(file)
    try:
        source = files(__package__).joinpath(DEFAULT) if file is None else file
        text = source.read_text(encoding="utf-8")
        return text, Criteria.model_validate(tomllib.loads(text)).compare
    except ValidationError as error:
        raise InputError(f"--criteria {origin}: {first_problem(error)}") from error
    except OSError as error:
        raise InputError(f"--criteria {origin}: {error.strerror}") from error
    except ValueError as error:  # not UTF-8, or not TOML
        raise InputError(f"--criteria {origin}: {error}") from error
