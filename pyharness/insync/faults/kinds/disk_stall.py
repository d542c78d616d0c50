"""The disk stall: operations of a broker on its whole log folder wait, or take longer.

The folder is mounted through a file system of ours (`filesystem.py`), which holds them. A hold
begins with a read, if one comes soon: if appends hung from the first moment on, nothing new
would come into the log, its followers would lack nothing, and the hang would go unnoticed but
by producers, unless a read happened to be on its way.

Evidence: what was held, by kind of operation, for how long in sum, and the longest. In a hold
whatever is held stays so until the end: the longest says how long the fault acted.
"""

from collections.abc import Sequence
from typing import Final

from insync.events.schema import FaultLine
from insync.faults.base import Held, Occasion, Window, await_true
from insync.faults.support.control import ControlFile, Mode, Site
from insync.faults.support.holds import Holds

EVERYTHING: Final = ""
"""The target of a rule that is about whatever is in the folder."""

FIRST_READ_WITHIN_S: Final = 0.5


class DiskStallFault:
    """A `Fault`: one broker's disk hangs, or is slow to answer."""

    def __init__(
        self, control: ControlFile, operations: Sequence[Site], occasion: Occasion, delay_ms: int
    ) -> None:
        """Plan it; `control` is that of the file system, `delay_ms` only for mode "delay"."""
        self._holds = {each: Holds(control, occasion.broker) for each in operations}
        self._occasion = occasion
        self._delay_ms = delay_ms
        self._window = Window()

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Hold from now on."""
        self._window.begin()
        reads = self._holds.get(Site.READ)
        if reads is not None:
            self._arm(Site.READ)
            if self._occasion.mode == "hold" and len(self._holds) > 1:
                await_true(lambda: reads.now > 0, FIRST_READ_WITHIN_S)
        for operation in self._holds:
            if operation is not Site.READ:
                self._arm(operation)

    def lift(self) -> None:
        """Let go and wait until nothing is held; raises InsyncError if something stays."""
        if not self._window.is_open:
            return
        for holds in self._holds.values():
            holds.lift()
        self._window.end()
        for holds in self._holds.values():
            holds.drain()

    def evidence(self) -> FaultLine:
        """Return what was held."""
        seen = {operation: holds.total for operation, holds in self._holds.items()}
        held = Held(
            calls=sum(each.calls for each in seen.values()),
            sum_ms=sum(each.sum_ms for each in seen.values()),
            longest_ms=max(each.longest_ms for each in seen.values()),
        )
        figures = {f"{each.name.lower()}s": float(seen[each].calls) for each in seen}
        return self._window.line(self._occasion, held.longest_ms, figures, held)

    def _arm(self, operation: Site) -> None:
        plan = self._occasion
        self._holds[operation].arm(
            [EVERYTHING], operation, Mode[plan.mode.upper()],
            planned_ms=plan.planned_ms, delay_ms=self._delay_ms,
        )  # fmt: skip
