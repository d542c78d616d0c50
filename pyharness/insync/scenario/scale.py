"""Scaling: every time of a scenario multiplied by one factor; rates and sizes stay."""

import math
from collections.abc import Mapping
from typing import Any


def scale_times(keys: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """Return a valid scenario's keys with all times multiplied by `factor`, rounded to 1 ms.

    Expectations on times (metrics in `_ms`) are times too, but for their margins. A time that
    was not 0
    stays at least 1 ms. Raises ValueError for a factor that is not a positive
    number. The result may break a rule, such as the least replica.lag.time.max.ms.
    """
    if not (math.isfinite(factor) and factor > 0):
        raise ValueError(factor)
    scaled: dict[str, Any] = _scaled(keys, factor)
    return scaled


def _scaled(value: Any, factor: float) -> Any:
    """Return `value` with every number under a key in `_ms` multiplied."""
    if isinstance(value, list):
        return [_scaled(item, factor) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _times(item, factor) if key.endswith("_ms") else _scaled(item, factor)
        for key, item in value.items()
    }


def _times(value: Any, factor: float) -> Any:
    """Multiply a time, or the two bounds on one."""
    if isinstance(value, dict):
        return {key: item if key == "margin" else item * factor for key, item in value.items()}
    return max(1, round(value * factor)) if value else 0
