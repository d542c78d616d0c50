"""A background thread repeats its step until its block ends, and raises its error there."""

import threading

import pytest

from insync.background import Background
from waiting import wait_for


class Counting(Background):
    """Counts its steps; fails at the given step."""

    def __init__(self, fails_at: int | None = None) -> None:
        super().__init__("counting", every_seconds=0.001, stop_seconds=10)
        self.steps = 0
        self._fails_at = fails_at

    def _step(self) -> None:
        self.steps += 1
        if self.steps == self._fails_at:
            raise ValueError(f"step {self.steps}")


def test_steps_repeat_until_the_block_ends_and_the_thread_stops() -> None:
    with Counting() as counting:
        wait_for(lambda: counting.steps, lambda steps: steps > 3)
        counting.check()
    assert "counting" not in {thread.name for thread in threading.enumerate()}


def test_an_error_stops_the_steps_and_is_raised_at_the_end_of_the_block() -> None:
    with pytest.raises(ValueError, match="step 2"), Counting(fails_at=2) as counting:
        wait_for(lambda: counting.steps, lambda steps: steps == 2)
    assert counting.steps == 2


def test_an_error_can_be_checked_for_before_the_block_ends() -> None:
    counting = Counting(fails_at=1)
    with pytest.raises(ValueError, match="step 1"), counting:
        while True:
            counting.check()


def test_an_error_in_the_block_has_precedence() -> None:
    with pytest.raises(KeyboardInterrupt), Counting(fails_at=1) as counting:
        wait_for(lambda: counting.steps, bool)
        raise KeyboardInterrupt
