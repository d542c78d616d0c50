"""A request to end becomes an exception, once, and only within the block."""

import os
import signal

import pytest

from insync.cluster import signals


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_request_ends_the_block_but_not_its_clean_up(number: signal.Signals, code: int) -> None:
    cleaned = False
    with pytest.raises(signals.Terminated) as ended, signals.as_exceptions():
        try:
            os.kill(os.getpid(), number)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)  # again, while it cleans up
            cleaned = True
    assert cleaned
    assert ended.value.code == code


def test_after_the_block_signals_mean_what_they_did() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with signals.as_exceptions():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before
