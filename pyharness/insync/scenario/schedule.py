"""Repeats a fault at intervals, or lets it rise in steps.

Pure: takes the keys of one fault and returns those of its primitive faults, in order of time.
All times are whole milliseconds; a step begins when the one before it ends.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

Keys = Mapping[str, Any]

_WHOLE: Final = 100.0  # of a core


def repeated(fault: Keys, every_ms: int, times: int) -> list[dict[str, Any]]:
    """Return the fault `times` times, each beginning `every_ms` after the one before."""
    return [{**fault, "at_ms": fault["at_ms"] + number * every_ms} for number in range(times)]


def ramped(fault: Keys, keys: Keys, steps: int) -> list[dict[str, Any]]:
    """Return the fault in steps of equal length, `keys` growing in equal steps to their values.

    `keys` are those of the fault's intensity that it has. `for_ms` must be `steps` at least.
    """
    begin, length = fault["at_ms"], fault["for_ms"]
    made = []
    for step in range(steps):
        at, end = (begin + length * each // steps for each in (step, step + 1))
        level = {key: RAMPS[key](value, step + 1, steps) for key, value in keys.items()}
        made.append({**fault, **level, "at_ms": at, "for_ms": end - at})
    return made


def _up(value: int, step: int, steps: int) -> int:
    return max(1, value * step // steps)


def _away_from_zero(value: int, step: int, steps: int) -> int:
    return _up(value, step, steps) if value > 0 else -_up(-value, step, steps)


def _in_equal_parts(value: float, step: int, steps: int) -> float:
    return value * step / steps


def _down_from_whole(value: float, step: int, steps: int) -> float:
    return value if step == steps else _WHOLE - (_WHOLE - value) * step / steps


def _down_in_equal_times(value: int, step: int, steps: int) -> int:
    """Return a rate such that the time per byte grows in equal steps."""
    return value * steps // step


RAMPS: Final[Mapping[str, Callable[[Any, int, int], Any]]] = {
    "delay_ms": _up,
    "by_ms": _away_from_zero,
    "loss_percent": _in_equal_parts,
    "quota_percent": _down_from_whole,
    "bytes_per_s": _down_in_equal_times,
    "read_bytes_per_s": _down_in_equal_times,
    "write_bytes_per_s": _down_in_equal_times,
}
"""How a key of a fault's intensity grows, from its full value, a step (from 1) and their number."""
