"""The types of the names in a scenario that a table lists: arms and metrics.

An unknown name is refused with the names that there are, as pydantic refuses a literal.
"""

from collections.abc import Sequence
from typing import Annotated, TypeVar

from pydantic import PlainValidator
from pydantic_core import PydanticKnownError

from insync import metrics
from insync.arms import ARMS

_Value = TypeVar("_Value")


def _known_arm(name: object) -> str:
    if isinstance(name, str) and name in ARMS:
        return name
    raise _unknown(list(ARMS))


def _known_metric(name: object) -> str:
    if isinstance(name, str) and name in metrics.of_verdict():
        return name
    raise _unknown(metrics.of_verdict())


def _unknown(names: Sequence[str]) -> PydanticKnownError:
    *first, last = (repr(name) for name in names)
    return PydanticKnownError("literal_error", {"expected": f"{', '.join(first)} or {last}"})


Arm = Annotated[str, PlainValidator(_known_arm)]
Metric = Annotated[str, PlainValidator(_known_metric)]
ByArm = dict[Arm, _Value]
