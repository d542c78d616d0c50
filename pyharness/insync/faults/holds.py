"""A set of stall rules armed and lifted as one, and what the shim counted for them."""

import time
from collections.abc import Sequence
from typing import Final

from insync.errors import InsyncError
from insync.faults.base import Held, await_true
from insync.faults.control import ControlFile, Mode, Rule, Site

DRAIN_SECONDS: Final = 5.0  # held calls leave within milliseconds; more: a dead or frozen broker
DEADLINE_SECONDS: Final = 5.0  # how far beyond its time a stall may live if the harness dies


class Holds:
    """The rules of one fault in the control file of one broker."""

    def __init__(self, control: ControlFile, broker: int) -> None:
        self._control = control
        self._broker = broker
        self._slots: list[int] = []

    def check(self) -> None:
        """Raise InsyncError if the broker does not run under the shim."""
        if self._control.attached == 0:
            raise InsyncError(f"broker {self._broker} did not load the stall shim")

    def arm(
        self, targets: Sequence[str], site: Site, mode: Mode, *, planned_ms: int, delay_ms: int = 0
    ) -> None:
        """Arm a rule for each target, a folder's name; `delay_ms` only for Mode.DELAY."""
        deadline = time.monotonic_ns() + int((planned_ms / 1000 + DEADLINE_SECONDS) * 1e9)
        for target in targets:
            rule = Rule(
                site=site, mode=mode, target=target, delay_ns=delay_ms * 1_000_000,
                deadline_ns=deadline,
            )  # fmt: skip
            self._slots.append(self._control.arm(rule))

    def lift(self) -> None:
        """Lift all rules; what they hold leaves soon after."""
        for slot in self._slots:
            self._control.lift(slot)

    def drain(self) -> None:
        """Wait until no call is held; raises InsyncError if some stay."""
        if not await_true(lambda: self.now == 0, DRAIN_SECONDS):
            raise InsyncError(f"{self.now} calls still held {DRAIN_SECONDS:g} s after the lift")

    @property
    def now(self) -> int:
        """How many calls are held at this moment."""
        return sum(self._control.counters(slot).held_now for slot in self._slots)

    @property
    def total(self) -> Held:
        """What was held so far, over all rules."""
        seen = [self._control.counters(slot) for slot in self._slots]
        return Held(
            calls=sum(counters.calls for counters in seen),
            sum_ms=sum(counters.held_ns for counters in seen) / 1e6,
            longest_ms=max((counters.longest_ns for counters in seen), default=0) / 1e6,
        )
