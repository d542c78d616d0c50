"""The types of a scenario's values, for its faults and for its other parts alike."""

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from insync.nodes import BROKERS, CONTROLLER_ID

HOUR_MS: Final = 3_600_000


def _broker_or_controller(node: int) -> int:
    if node > BROKERS and node != CONTROLLER_ID:
        raise PydanticCustomError("node", "no such node", {"brokers": BROKERS})
    return node


Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
Time = Annotated[int, Field(ge=0, le=HOUR_MS)]
Span = Annotated[int, Field(gt=0, le=HOUR_MS)]
BrokerId = Annotated[int, Field(ge=1, le=BROKERS)]
NodeId = Annotated[int, Field(ge=1), AfterValidator(_broker_or_controller)]
"""A broker, or the controller."""
Partitions = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(strict=False, min_length=1)]


class Part(BaseModel):
    """A part of a scenario: frozen, no unknown keys, no coercion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def broken(key: str, value: object, expected: str) -> PydanticCustomError:
    """Return the error for a broken rule: the key path, the value and what was expected."""
    context = {"key": key, "value": repr(value), "expected": expected}
    return PydanticCustomError("rule", "{key}: {value}, expected {expected}", context)


def check_unique(key: str, values: Sequence[object]) -> None:
    """Check that a list names nothing twice."""
    if len(set(values)) != len(values):
        raise broken(key, list(values), "each only once")
