"""Arms and lifts a set of stall rules as one, and reads what the shim counted for them."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from insync.errors import InsyncError
from insync.faults.base import Held, await_true
from insync.faults.support.control import ControlFile, Mode, Site, Slot, StallRule

DRAIN_SECONDS: Final = 5.0  # stalled calls return in ms, but not in a dead or frozen broker
DEADLINE_SECONDS: Final = 5.0  # how far beyond its time a stall may last if the harness ends


class ArmedRules:
    """The rules of one fault in the control file of one broker."""

    def __init__(self, control: ControlFile, broker: int) -> None:
        self._control = control
        self._broker = broker
        self._slots: list[int] = []
        self._died_ns: int | None = None

    def check(self) -> None:
        """Raise InsyncError if the broker does not run under the shim."""
        self._control.check_attached(self._broker)

    def arm(
        self,
        targets: Sequence[str],
        site: Site,
        mode: Mode,
        *,
        planned_ms: int,
        delay_ms: int = 0,
        files: str = "",
    ) -> None:
        """Arm a rule for each target, a folder's name; `delay_ms` is only for Mode.DELAY.

        `files` are the patterns of a rule.
        """
        deadline = time.monotonic_ns() + int((planned_ms / 1000 + DEADLINE_SECONDS) * 1e9)
        rule = StallRule(
            site=site, mode=mode, target="", delay_ns=delay_ms * 1_000_000, deadline_ns=deadline,
            files=files,
        )  # fmt: skip
        self._slots += self._control.arm_all([replace(rule, target=each) for each in targets])

    def lift(self) -> None:
        """Lift all rules; the calls that they stall return soon after."""
        for slot in self._slots:
            self._control.lift(slot)

    def drain(self) -> None:
        """Wait until no call is stalled; raises InsyncError if some stay."""
        if not await_true(lambda: self.now == 0, DRAIN_SECONDS):
            raise InsyncError(f"{self.now} calls still held {DRAIN_SECONDS:g} s after the lift")

    def end_with_broker(self) -> None:
        """Record that the broker has ended, and its stalled calls with it, uncounted by it."""
        self._died_ns = time.monotonic_ns()

    @property
    def now(self) -> int:
        """How many calls are stalled at this moment."""
        return sum(self._control.counters(slot).held_now for slot in self._slots)

    @property
    def total(self) -> Held:
        """What all rules stalled so far; of the last calls of an ended broker only the first."""
        seen = [self._control.counters(slot) for slot in self._slots]
        last = [self._at_death_ns(counters) for counters in seen]
        longest = [counters.longest_ns for counters in seen]
        return Held(
            calls=sum(counters.calls for counters in seen),
            sum_ms=(sum(counters.held_ns for counters in seen) + sum(last)) / 1e6,
            longest_ms=max([0, *longest, *last]) / 1e6,
        )

    @property
    def first_ns(self) -> int | None:
        """When the first call met a rule, by CLOCK_MONOTONIC; None if none did."""
        seen = [self._control.counters(slot).first_ns for slot in self._slots]
        return min((first for first in seen if first), default=None)

    def _at_death_ns(self, counters: Slot) -> int:
        """How long a call had been stalled when its broker ended; 0 if there was none."""
        if self._died_ns is None or not counters.held_now:
            return 0
        return self._died_ns - int(counters.first_ns)
