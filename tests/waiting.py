"""Waits for a condition, instead of a sleep of a guessed length."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(
    read: Callable[[], T],
    wanted: Callable[[T], bool],
    within_s: float = 60.0,
    every_s: float = 0.05,
) -> T:
    """Read until the value is as wanted; fails with the last value seen and the last error."""
    end = time.monotonic() + within_s
    seen: object = "nothing yet"
    while time.monotonic() < end:
        try:
            value = read()
            if wanted(value):
                return value
            seen = value
        except OSError as error:
            seen = error
        time.sleep(every_s)
    raise AssertionError(f"not within {within_s} s; last seen: {seen!r}")
