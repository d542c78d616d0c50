"""Criteria: what a metric or a cost of the candidate must be, alone or beside the baseline's.

A criterion is data: `isr_shrinks == 0`, `max_ack_gap_ms < 0.2 * baseline`,
`offline_ms <= baseline + 2000`. It is judged per scenario, on the values of the repeats.
"""

from __future__ import annotations

import operator
import re
import tomllib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from insync.arms import expected_as, find_arm
from insync.bench.overhead.figures import FIGURES
from insync.errors import InputError
from insync.events.run_info import first_problem
from insync.metrics import METRICS, of_verdict
from insync.outcome import Outcome

DEFAULT: Final = "criteria.toml"
_OPERATORS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge,
    "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_NUMBER: Final = r"(?:\d+(?:\.\d+)?)"
_FORM: Final = re.compile(
    rf"\s*(?P<metric>\w+)\s*(?P<operator>==|!=|<=|>=|<|>)\s*"
    rf"(?:(?:(?P<factor>{_NUMBER})\s*\*\s*)?(?P<baseline>baseline)(?:\s*\+\s*(?P<plus>{_NUMBER}))?"
    rf"|(?P<number>{_NUMBER}))\s*"
)
_EXPECTED: Final = (
    "METRIC OP NUMBER, or METRIC OP [NUMBER *] baseline [+ NUMBER], such as 'isr_shrinks == 0' or"
    " 'max_ack_gap_ms < 0.2 * baseline'"
)
Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Condition:
    """`metric operator factor * baseline + plus`; without the baseline the factor is 0."""

    metric: str
    operator: str
    factor: float
    plus: float

    @property
    def is_relative(self) -> bool:
        """Whether it compares with the baseline."""
        return self.factor != 0

    def holds(self, value: float, baseline: float) -> bool:
        """Whether a value fulfils it beside the baseline's."""
        return _OPERATORS[self.operator](value, self.factor * baseline + self.plus)

    def scaled(self, scale: float) -> Condition:
        """Return it for times that were multiplied, unless it compares with the baseline's."""
        is_time = METRICS[self.metric].is_time and not self.is_relative
        return replace(self, plus=self.plus * scale) if is_time else self

    def __str__(self) -> str:
        """Return it as it is written in a file."""
        times = "" if self.factor == 1 else f"{self.factor:.12g} * "
        plus = f" + {self.plus:.12g}" if self.plus else ""
        right = f"{times}baseline{plus}" if self.is_relative else f"{self.plus:.12g}"
        return f"{self.metric} {self.operator} {right}"


def parse(text: str) -> Condition:
    """Return the condition on a metric that a text writes; raises ValueError."""
    return _parse(text, of_verdict(), "metric", "verdict.json")


def _parse(text: str, names: Container[str], what: str, where: str) -> Condition:
    """Return the condition that a text writes; raises ValueError with what was expected."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r}: expected {_EXPECTED}")
    metric = found["metric"]
    if metric not in names:
        raise ValueError(f"{text!r}: no {what} {metric!r}, expected one of {where}")
    if found["baseline"] is None:
        return Condition(metric, found["operator"], 0, float(found["number"]))
    factor = float(found["factor"] or 1)
    if factor == 0:
        raise ValueError(f"{text!r}: expected a factor above 0")
    return Condition(metric, found["operator"], factor, float(found["plus"] or 0))


class Criterion(BaseModel):
    """A criterion as in the file.

    Args:
        check: the condition on the candidate.
        baseline: a condition on the baseline alone, without which the criterion proves nothing.
        scenarios: the scenarios in which it is judged; all without them.
        claims: the arms as which a candidate must be expected to behave; any without them.
        over: whether every repeat must fulfil it, or the medians of the repeats.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str
    baseline: str | None = None
    scenarios: tuple[str, ...] | None = Field(default=None, min_length=1)
    claims: tuple[str, ...] | None = Field(default=None, min_length=1)
    over: Literal["every", "median"] = "every"

    @field_validator("check", "baseline")
    @classmethod
    def _is_condition(cls, text: str | None) -> str | None:
        if text is not None:
            parse(text)
        return text

    @field_validator("baseline")
    @classmethod
    def _is_absolute(cls, text: str | None) -> str | None:
        if text is not None and parse(text).is_relative:
            raise ValueError(f"{text!r}: expected a number, not the baseline itself")
        return text

    @field_validator("claims")
    @classmethod
    def _are_arms(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return _arms(names)

    def applies(self, scenario: str, claims: str | None) -> bool:
        """Whether it is judged in a scenario, for a candidate with such a claim."""
        if self.scenarios is not None and scenario not in self.scenarios:
            return False
        return _is_claimed(self.claims, claims)


class CostCriterion(BaseModel):
    """A criterion of the level cost as in the file.

    It is judged on the medians of the rounds. Where the figure varies so much from round to round
    that the interval of the differences includes both what is allowed and what is not, it is
    unknown.

    Args:
        check: the condition on a figure of `insync bench overhead`, compared with the baseline's.
        claims: as in `Criterion`.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str
    claims: tuple[str, ...] | None = Field(default=None, min_length=1)

    @field_validator("check")
    @classmethod
    def _is_condition(cls, text: str) -> str:
        parse_cost(text)
        return text

    @field_validator("claims")
    @classmethod
    def _are_arms(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return _arms(names)

    def applies(self, claims: str | None) -> bool:
        """Whether it is judged for a candidate with such a claim."""
        return _is_claimed(self.claims, claims)


def parse_cost(text: str) -> Condition:
    """Return the condition on a figure of cost that a text writes; raises ValueError."""
    names = {spec.name for spec in FIGURES}
    return _parse(text, names, "figure", "overhead.json")


def _arms(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    unknown = [name for name in names or () if find_arm(name) is None]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: no such arm")
    return names


def _is_claimed(wanted: tuple[str, ...] | None, claims: str | None) -> bool:
    names = () if claims is None else expected_as(claims)
    return wanted is None or bool(set(wanted) & set(names))


@dataclass(frozen=True, slots=True)
class Judged:
    """A criterion on the values of a scenario: the outcome, the reason if it is not a pass."""

    outcome: Outcome
    why: str = ""


def judge(
    criterion: Criterion,
    baseline: Mapping[str, Values],
    candidate: Mapping[str, Values],
    scale: float = 1.0,
) -> Judged:
    """Return whether a candidate's metrics fulfil a criterion; unknown if a value is missing.

    Times that are compared with a number are scaled as those of the scenario are.
    """
    if criterion.baseline is not None:
        condition = parse(criterion.baseline).scaled(scale)
        shown = _holds(condition, baseline, baseline, criterion.over)
        if shown.outcome != Outcome.PASS:
            return Judged(Outcome.UNKNOWN, f"the baseline does not show the problem: {shown.why}")
    return _holds(parse(criterion.check).scaled(scale), candidate, baseline, criterion.over)


def _holds(
    condition: Condition, of: Mapping[str, Values], beside: Mapping[str, Values], over: str
) -> Judged:
    values, others = of.get(condition.metric, ()), beside.get(condition.metric, ())
    if not condition.is_relative:
        others = [0.0] * len(values)
    if not values or None in values or None in others or len(values) != len(others):
        return Judged(Outcome.UNKNOWN, f"{condition}: a repeat has no value of {condition.metric}")
    pairs = [(value or 0.0, other or 0.0) for value, other in zip(values, others, strict=True)]
    if over == "median":
        pairs = [(median(value for value, _ in pairs), median(other for _, other in pairs))]
    wrong = [pair for pair in pairs if not condition.holds(*pair)]
    if not wrong:
        return Judged(Outcome.PASS)
    value, other = wrong[0]
    beside_it = f", the baseline {other:g}" if condition.is_relative else ""
    often = f" in {len(wrong)} of {len(pairs)} repeats" if len(pairs) > 1 else ""
    return Judged(Outcome.FAIL, f"expected {condition}, found {value:g}{beside_it}{often}")


def written(metric: str, values: Values) -> str:
    """Return the values of a metric: seconds for times, one per repeat."""
    is_time = METRICS[metric].is_time
    texts = ["-" if v is None else f"{v / 1000:.1f} s" if is_time else f"{v:g}" for v in values]
    return ", ".join(texts) or "-"


@dataclass(frozen=True, slots=True)
class Criteria:
    """The criteria of a file, by level."""

    faults: Sequence[Criterion] = ()
    cost: Sequence[CostCriterion] = ()


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


class _File(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1] = Field(alias="schema")
    criterion: tuple[Criterion, ...] = ()
    cost: tuple[CostCriterion, ...] = ()


def parse_file(text: str, origin: str) -> Criteria:
    """Return the criteria that a text holds; raises InputError."""
    try:
        keys: dict[str, Any] = tomllib.loads(text)
        file = _File.model_validate(keys)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"--criteria {origin}: invalid TOML: {error}") from error
    except ValidationError as error:
        raise InputError(f"--criteria {origin}: {first_problem(error)}") from error
    return Criteria(faults=file.criterion, cost=file.cost)
