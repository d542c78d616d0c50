"""Turns SIGTERM into what Ctrl-C does, and lets clean-up finish undisturbed."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from insync.errors import InsyncError


@contextmanager
def interruptible() -> Iterator[None]:
    """Within, the first SIGINT, SIGTERM or SIGHUP raises KeyboardInterrupt; outside, InsyncError.

    Later ones are ignored: the clean-up that the first one began is bounded and
    must not be cut. For the main thread only.
    """
    caught = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def interrupt(number: int, _: FrameType | None) -> NoReturn:
        for each in caught:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt(signal.Signals(number).name)

    before = {number: signal.signal(number, interrupt) for number in caught}
    try:
        yield
    except KeyboardInterrupt as interrupted:
        raise InsyncError(f"interrupted by {interrupted}: what was recorded stays") from interrupted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
