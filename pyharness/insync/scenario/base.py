"""What all parts of a scenario have in common, and the types of their values."""

from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from insync.nodes import CONTROLLER_ID

BROKERS: Final = 3
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
