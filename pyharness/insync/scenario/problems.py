"""Turns errors of pydantic into lines: key path, value, what was expected."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from insync.errors import did_you_mean
from insync.faults.registry import KINDS
from insync.faults.spec import Planned
from insync.scenario.model import Scenario
from insync.scenario.written import WRITTEN_KEYS

LONGEST_VALUE: Final = 60
_NAME: Final = re.compile(r"'([^']*)'")
_FAULT: Final = re.compile(r"^faults\[(\d+)\]")

_EXPECTED: Final[Mapping[str, str]] = {
    "literal_error": "{expected}",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "a string",
    "string_pattern_mismatch": "text that matches {pattern}",
    "string_too_short": "at least {min_length} character",
    "string_too_long": "at most {max_length} characters",
    "too_short": "at least {min_length} item",
    "too_long": "at most {max_length} items",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "each_once": "each only once",
    "node": "at most {brokers}, or a target instead",
    "model_attributes_type": "a table",
}


def describe(
    error: ValidationError, origins: Sequence[int] = (), within: tuple[int | str, ...] = ()
) -> list[str]:
    """Return every problem on a line of its own.

    `origins` are the numbers of the faults in the file, where they differ. `within` is where in the
    scenario the part is that was checked alone.
    """

    def as_written(found: re.Match[str]) -> str:
        number = int(found[1])
        return f"faults[{origins[number] if number < len(origins) else number}]"

    problems = [each for each in error.errors(include_url=False) if not _follows(each)]
    for problem in problems:
        problem["loc"] = (*within, *problem["loc"])
    lines = (_FAULT.sub(as_written, line) for each in problems for line in _lines(each))
    return list(dict.fromkeys(lines))  # a fault that repeats has its problem several times


def _follows(problem: ErrorDetails) -> bool:
    """Whether a list is short only because pydantic does not count its invalid items."""
    least = problem.get("ctx", {}).get("min_length", 0)
    return problem["type"] == "too_short" and len(problem["input"]) >= least


def _lines(problem: ErrorDetails) -> list[str]:
    """Return the lines of a problem: one, or one for each of several rules."""
    context = problem.get("ctx", {})
    if problem["type"] == "rules":
        return [_rule(_path(problem["loc"]), each) for each in context["rules"]]
    return [_line(problem, context)]


def _rule(path: str, context: Mapping[str, Any]) -> str:
    where = f"{path}.{context['key']}" if path else context["key"]
    return f"{where}: {context['value']}, expected {context['expected']}"


def _line(problem: ErrorDetails, context: Mapping[str, Any]) -> str:
    path, kind = _path(problem["loc"]), problem["type"]
    if kind == "missing":
        return f"{path}: missing"
    if kind == "extra_forbidden":
        keys = _keys(problem["loc"][:-1])
        near = did_you_mean(problem["loc"][-1], keys)
        return f"{path}: unknown key, expected one of: {', '.join(keys)}{near}"
    if kind == "union_tag_not_found":
        return f"{path}.kind: missing, expected one of: {', '.join(KINDS)}"
    if kind == "union_tag_invalid":
        near = did_you_mean(context["tag"], KINDS)
        return f"{path}.kind: '{context['tag']}', expected one of: {', '.join(KINDS)}{near}"
    expected = _EXPECTED.get(kind)
    wanted = expected.format(**context) if expected else problem["msg"]
    names = _NAME.findall(wanted) if kind == "literal_error" else ()
    near = did_you_mean(problem["input"], names)
    found = f"{context['actual_length']} items" if kind == "too_long" else _short(problem["input"])
    return f"{path}: {found}, expected {wanted}{near}"


def _path(location: tuple[int | str, ...]) -> str:
    """Return ("faults", 0, "stall", "site") as faults[0].site."""
    path = ""
    for index, step in enumerate(location):
        if step == "[key]" or _is_kind(location, index):  # "[key]": the key itself is wrong
            continue
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path


def _is_kind(location: tuple[int | str, ...], index: int) -> bool:
    """Whether a step is the kind of a fault, which is not a key of the file."""
    return index == 2 and location[0] == "faults" and location[index] in KINDS


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 3]}..."


def _keys(location: tuple[int | str, ...]) -> list[str]:
    """Return the keys that the table at `location` may have."""
    model: type[BaseModel] = Scenario
    for index, step in enumerate(location):
        if _is_kind(location, index):
            model = KINDS[str(step)].spec
        elif isinstance(step, str) and step in model.model_fields:
            model = _model_in(model.model_fields[step].annotation) or model
    more = WRITTEN_KEYS if issubclass(model, Planned) else ()
    return [*(info.alias or name for name, info in model.model_fields.items()), *more]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model that a field holds, also inside a list or a table of tables."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(argument) for argument in get_args(annotation))
    return next((model for model in found if model), None)
