"""The figures that a fault left, as a kind's rule for its evidence reads them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Seen:
    """What was recorded of a fault that acted for `acted_ms`."""

    figures: dict[str, float]
    acted_ms: float = 100.0
    calls_held: int = 0
