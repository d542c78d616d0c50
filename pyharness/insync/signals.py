"""Handle SIGTERM and SIGHUP like Ctrl-C, and protect the clean-up from further signals."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from insync.errors import InsyncError


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block at the first SIGINT, SIGTERM or SIGHUP.

    The block itself then raises InsyncError. Later signals are ignored, because the clean-up that
    the first one started is bounded and must complete. Works only in the main thread.
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
        raise InsyncError(f"interrupted by {interrupted}: recorded files are kept") from interrupted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
