"""Make a request to end an exception, so that `with` blocks stop what they started."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_REQUESTS = (signal.SIGTERM, signal.SIGHUP)


class Terminated(SystemExit):
    """The process was asked to end; its exit code says by which signal, as a shell would."""

    def __init__(self, number: int) -> None:
        """End as asked by signal `number`."""
        super().__init__(128 + number)


@contextmanager
def as_exceptions() -> Iterator[None]:
    """Within the block, SIGTERM and SIGHUP raise Terminated in the main thread, once.

    Once: a second request must not interrupt the stopping that the first one started. Ctrl-C
    already is an exception.
    """
    before = {request: signal.signal(request, _end) for request in _REQUESTS}
    try:
        yield
    finally:
        for request, handler in before.items():
            signal.signal(request, handler)


def _end(number: int, _: FrameType | None) -> None:
    for request in _REQUESTS:
        signal.signal(request, signal.SIG_IGN)
    raise Terminated(number)
