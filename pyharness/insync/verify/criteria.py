"""Criteria: what a metric or a cost of the candidate must be, alone or beside the baseline's.

They have the keys of a scenario's expectations: `min` and `max` of a metric, or `at_most`,
`at_least` or `below` so many times that of the baseline. They are judged on the values of the
repeats.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from insync.arms import expected_as, find_arm
from insync.errors import InputError
from insync.events.run_info import Bound, first_problem
from insync.metrics import METRICS, of_verdict
from insync.outcome import Outcome
from insync.overhead.figures import BY_NAME

DEFAULT: Final = "criteria.toml"
Values = Sequence[float | None]
Judged = tuple[Outcome, str]
"""An outcome, and its reason if it is not a pass."""


class Limit(BaseModel):
    """A limit of a figure, and of whom it is expected.

    Args:
        metric: the figure.
        min: the lowest value that is allowed.
        max: the highest one.
        at_most: the candidate's value is at most so many times the baseline's, and `plus`.
        at_least: at least so many times the baseline's, and `plus`.
        below: less than so many times the baseline's, and `plus`.
        plus: what is added to the baseline's.
        claims: the arms as which a candidate must be expected to behave; any without them.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    known: ClassVar[Collection[str]]
    """The figures that may be limited."""

    metric: str
    min: float | None = None
    max: float | None = None
    at_most: float | None = Field(default=None, gt=0)
    at_least: float | None = Field(default=None, gt=0)
    below: float | None = Field(default=None, gt=0)
    plus: float = 0.0
    claims: tuple[str, ...] | None = Field(default=None, min_length=1)

    @field_validator("metric")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in cls.known:
            raise ValueError(f"no metric {name!r}")
        return name

    @field_validator("claims")
    @classmethod
    def _are_arms(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        unknown = [name for name in names or () if find_arm(name) is None]
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: no such arm")
        return names

    @model_validator(mode="after")
    def _has_one_limit(self) -> Limit:
        relative = [self.at_most, self.at_least, self.below]
        absolute = self.min is not None or self.max is not None
        if absolute + sum(each is not None for each in relative) != 1:
            raise ValueError("expected min and max, or one of at_most, at_least and below")
        if self.plus and absolute:
            raise ValueError("expected plus with at_most, at_least or below")
        return self

    @property
    def factor(self) -> float:
        """How many times the baseline's value the limit is; 0: it is a number."""
        return self.at_most or self.at_least or self.below or 0.0

    def holds(self, value: float, baseline: float, scale: float = 1.0) -> bool:
        """Whether a value keeps the limit beside the baseline's; numbers of times are scaled."""
        limit = self.factor * baseline + self.plus
        if self.at_most is not None:
            return value <= limit
        if self.at_least is not None:
            return value >= limit
        if self.below is not None:
            return value < limit
        return _is_within(self.metric, value, self, scale)

    def is_claimed(self, claims: str | None) -> bool:
        """Whether it is judged of a candidate with such a claim."""
        names = () if claims is None else expected_as(claims)
        return self.claims is None or bool(set(self.claims) & set(names))

    def __str__(self) -> str:
        """Return it in words: "isr_shrinks exactly 0"."""
        if not self.factor:
            return f"{self.metric} {Bound(min=self.min, max=self.max)}"
        word = "at most" if self.at_most else "at least" if self.at_least else "less than"
        times = "" if self.factor == 1 else f"{self.factor:.12g} times "
        plus = f" + {self.plus:.12g}" if self.plus else ""
        return f"{self.metric} {word} {times}the baseline's{plus}"


def _is_within(metric: str, value: float, bound: Limit | Bound, scale: float) -> bool:
    factor = scale if metric in METRICS and METRICS[metric].is_time else 1.0
    low = bound.min is None or value >= bound.min * factor
    return low and (bound.max is None or value <= bound.max * factor)


class Criterion(Limit):
    """A criterion of the level faults.

    Args:
        baseline: what the baseline must show, without which the criterion proves nothing.
        scenarios: the scenarios in which it is judged; all without them.
        over: whether every repeat must keep the limit, or the medians of the repeats.

    """

    known: ClassVar[Collection[str]] = tuple(of_verdict())

    baseline: Bound | None = None
    scenarios: tuple[str, ...] | None = Field(default=None, min_length=1)
    over: Literal["every", "median"] = "every"

    @field_validator("baseline")
    @classmethod
    def _has_a_limit(cls, bound: Bound | None) -> Bound | None:
        if bound == Bound():
            raise ValueError("expected min, max, or both")
        return bound

    def applies(self, scenario: str, claims: str | None) -> bool:
        """Whether it is judged in a scenario, for a candidate with such a claim."""
        return (self.scenarios is None or scenario in self.scenarios) and self.is_claimed(claims)


class CostCriterion(Limit):
    """A criterion of the level cost: a figure of `insync overhead`.

    It is judged on the medians of the rounds. Where the figure varies so much from round to round
    that the interval of the differences includes both what is allowed and what is not, it is
    unknown.
    """

    known: ClassVar[Collection[str]] = tuple(BY_NAME)


def judge(
    criterion: Criterion,
    baseline: Mapping[str, Values],
    candidate: Mapping[str, Values],
    scale: float = 1.0,
) -> Judged:
    """Return whether a candidate's metrics fulfil a criterion; unknown if a value is missing.

    Times that are compared with a number are scaled as those of the scenario are.
    """
    metric = criterion.metric
    own, others = candidate.get(metric, ()), baseline.get(metric, ())
    needs_others = criterion.factor or criterion.baseline is not None
    known = [value for value in own if value is not None]
    beside = [value for value in others if value is not None] if needs_others else [0.0] * len(own)
    if not known or len(known) != len(own) or len(beside) != len(own):
        return Outcome.UNKNOWN, f"{criterion}: a repeat has no value of {metric}"
    if criterion.over == "median":
        known, beside = [median(known)], [median(beside)]
    if criterion.baseline is not None:
        shown = [value for value in beside if _is_within(metric, value, criterion.baseline, scale)]
        if len(shown) < len(beside):
            without = f"expected {metric} {criterion.baseline}, in {len(shown)} of {len(beside)}"
            return Outcome.UNKNOWN, f"the baseline does not show the problem: {without}"
    wrong = [
        (value, other)
        for value, other in zip(known, beside, strict=True)
        if not criterion.holds(value, other, scale)
    ]
    if not wrong:
        return Outcome.PASS, ""
    value, other = wrong[0]
    beside_it = f", the baseline {other:g}" if criterion.factor else ""
    often = f" in {len(wrong)} of {len(known)} repeats" if len(known) > 1 else ""
    return Outcome.FAIL, f"expected {criterion}, found {value:g}{beside_it}{often}"


def written(metric: str, values: Values) -> str:
    """Return the values of a metric: seconds for times, one per repeat."""
    is_time = METRICS[metric].is_time
    texts = ["-" if v is None else f"{v / 1000:.1f} s" if is_time else f"{v:g}" for v in values]
    return ", ".join(texts) or "-"


class Criteria(BaseModel):
    """The content of a file: the criteria of the levels faults and cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = Field(default=1, alias="schema")
    criterion: tuple[Criterion, ...] = ()
    cost: tuple[CostCriterion, ...] = ()


def read(file: Path | None) -> tuple[str, Criteria]:
    """Return the text and the criteria of a file, or of insync's own; raises InputError."""
    origin = DEFAULT if file is None else str(file)
    try:
        source = files(__package__).joinpath(DEFAULT) if file is None else file
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"--criteria {origin}: {why}") from error
    return text, parse_file(text, origin)


def parse_file(text: str, origin: str) -> Criteria:
    """Return the criteria that a text holds; raises InputError."""
    try:
        keys: dict[str, Any] = tomllib.loads(text)
        if "schema" not in keys:
            raise InputError(f"--criteria {origin}: schema: Field required")
        return Criteria.model_validate(keys)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"--criteria {origin}: invalid TOML: {error}") from error
    except ValidationError as error:
        raise InputError(f"--criteria {origin}: {first_problem(error)}") from error
