"""Finds the scale that a scenario allows and that is nearest to one that it refuses."""

import math
from collections.abc import Callable
from typing import Final

LEAST: Final = 1e-4
MOST: Final = 1e6
TRIED: Final = 20


def nearest_scale(is_allowed: Callable[[float], bool], refused: float) -> float:
    """Return an allowed scale between 1 and `refused`, with two digits; 1 is allowed.

    It is the one nearest to `refused` if all scales between it and 1 are allowed.
    """
    allowed = 1.0
    bound = LEAST if math.isnan(refused) else min(max(refused, LEAST), MOST)
    for _ in range(TRIED):
        middle = math.sqrt(allowed * bound)
        allowed, bound = (middle, bound) if is_allowed(middle) else (allowed, middle)
    upwards = allowed < 1
    for _ in range(TRIED):
        shown = _two_digits(allowed, upwards=upwards)
        if is_allowed(shown):
            return shown
        allowed = shown * (1.01 if upwards else 0.99)
    return 1.0


def _two_digits(value: float, *, upwards: bool) -> float:
    """Round to two digits, up or down."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    nearest = math.ceil(value / unit) if upwards else math.floor(value / unit)
    return float(f"{nearest * unit:.2g}")
