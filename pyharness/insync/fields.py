"""The types of a scenario's values, for its faults and for its other parts alike."""

from collections.abc import Callable, Sequence
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from insync.nodes import ACTIVE_CONTROLLER, BROKERS, CONTROLLER_ID

HOUR_MS: Final = 3_600_000


def _broker_or_controller(node: int) -> int:
    if node > BROKERS and node != CONTROLLER_ID:
        raise PydanticCustomError("node", "no such node", {"brokers": BROKERS})
    return node


def _any_node(node: int) -> int:
    return node if node == ACTIVE_CONTROLLER else _broker_or_controller(node)


def _each_once(values: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(values)) != len(values):
        raise PydanticCustomError("each_once", "each only once")
    return values


Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
Time = Annotated[int, Field(ge=0, le=HOUR_MS)]
Span = Annotated[int, Field(gt=0, le=HOUR_MS)]
BrokerId = Annotated[int, Field(ge=1, le=BROKERS)]
NodeId = Annotated[int, Field(ge=1), AfterValidator(_broker_or_controller)]
"""A broker, or the controller."""
AnyNodeId = Annotated[int, Field(ge=1), AfterValidator(_any_node)]
"""The same, or the controller that is the active one at the time."""
Partitions = Annotated[
    tuple[Annotated[int, Field(ge=0)], ...],
    Field(strict=False, min_length=1),
    AfterValidator(_each_once),
]


class Part(BaseModel):
    """A part of a scenario: frozen, no unknown keys, no coercion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def broken(key: str, value: object, expected: str) -> PydanticCustomError:
    """Return the error for a broken rule: the key path, the value and what was expected."""
    return _error([{"key": key, "value": repr(value), "expected": expected}])


def check_all(*checks: Callable[[], None]) -> None:
    """Run all checks; raises one error for all rules that are broken."""
    rules: list[dict[str, str]] = []
    for check in checks:
        try:
            check()
        except PydanticCustomError as error:
            rules += (error.context or {})["rules"]
    if rules:
        raise _error(rules)


def _error(rules: Sequence[dict[str, str]]) -> PydanticCustomError:
    text = "; ".join("{key}: {value}, expected {expected}".format(**rule) for rule in rules)
    return PydanticCustomError("rules", "{text}", {"text": text, "rules": list(rules)})


def check_unique(key: str, values: Sequence[object]) -> None:
    """Check that a list names nothing twice."""
    if len(set(values)) != len(values):
        raise broken(key, list(values), "each only once")
