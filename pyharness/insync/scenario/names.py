"""The types of the names in a scenario that a table lists: arms and metrics.

An unknown name is refused with the names that there are, as pydantic refuses a literal.
"""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, PlainValidator
from pydantic_core import PydanticKnownError

from insync import metrics
from insync.arms import ARMS, find_arm, present_name
from insync.scenario.rules import check_unique

_Value = TypeVar("_Value")


def _known_arm(name: object) -> str:
    """Return the present name of an arm."""
    spec = find_arm(name) if isinstance(name, str) else None
    if spec is None:
        raise _unknown(list(ARMS))
    return spec.name


def _known_metric(name: object) -> str:
    if isinstance(name, str) and name in metrics.of_verdict():
        return name
    raise _unknown(metrics.of_verdict())


def _unknown(names: Sequence[str]) -> PydanticKnownError:
    *first, last = (repr(name) for name in names)
    return PydanticKnownError("literal_error", {"expected": f"{', '.join(first)} or {last}"})


def _each_arm_once(table: Any) -> Any:
    """Refuse a table that has an arm under two of its names."""
    if isinstance(table, dict):
        check_unique("arms", [present_name(name) for name in table if isinstance(name, str)])
    return table


Arm = Annotated[str, PlainValidator(_known_arm)]
Metric = Annotated[str, PlainValidator(_known_metric)]
ByArm = Annotated[dict[Arm, _Value], BeforeValidator(_each_arm_once)]
