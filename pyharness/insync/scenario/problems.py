"""Turns an error of pydantic into one line: key path, value, what was expected."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from insync.faults.registry import KINDS
from insync.faults.spec import Planned
from insync.scenario.model import Scenario
from insync.scenario.written import WRITTEN_KEYS

LONGEST_VALUE: Final = 60
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
    "node": "at most {brokers}, or a target instead",
    "model_attributes_type": "a table",
}


def describe(error: ValidationError, origins: Sequence[int] = ()) -> str:
    """Return the first problem on one line, and how many more there are.

    `origins` are the numbers of the faults in the file, where they differ.
    """
    problems = error.errors(include_url=False)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""

    def as_written(found: re.Match[str]) -> str:
        number = int(found[1])
        return f"faults[{origins[number] if number < len(origins) else number}]"

    return _FAULT.sub(as_written, _line(problems[0])) + more


def _line(problem: ErrorDetails) -> str:
    path = _path(problem["loc"])
    kind, context = problem["type"], problem.get("ctx", {})
    if kind == "missing":
        return f"{path}: missing"
    if kind == "extra_forbidden":
        return f"{path}: unknown key, expected one of: {', '.join(_keys(problem['loc'][:-1]))}"
    if kind == "rule":
        where = f"{path}.{context['key']}" if path else context["key"]
        return f"{where}: {context['value']}, expected {context['expected']}"
    if kind == "union_tag_not_found":
        return f"{path}.kind: missing, expected one of: {', '.join(KINDS)}"
    if kind == "union_tag_invalid":
        return f"{path}.kind: '{context['tag']}', expected one of: {', '.join(KINDS)}"
    expected = _EXPECTED.get(kind)
    wanted = expected.format(**context) if expected else problem["msg"]
    return f"{path}: {_short(problem['input'])}, expected {wanted}"


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
