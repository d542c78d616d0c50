"""The stall fault: chosen system calls of one broker on chosen topic-partitions wait.

The calls are caught by the LD_PRELOAD shim `native/stall.c`; this side builds the
environment a broker must be started with, arms and lifts rules, and reads back
what they held.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from insync.artifacts import SHIM
from insync.errors import InputError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window
from insync.faults.support.control import ControlFile, Mode, Site
from insync.faults.support.holds import Holds


def require_shim() -> Path:
    """Return the built shim; raises InputError where there is none."""
    if not sys.platform.startswith("linux"):
        raise InputError(f"stall faults: on {sys.platform}, expected Linux with glibc (LD_PRELOAD)")
    if not SHIM.is_file():
        raise InputError(
            f"stall faults: no {SHIM.name}: it is compiled when insync is built, which needs a"
            " C compiler (apt-get install gcc libc6-dev), then `make setup`"
        )
    if " " in str(SHIM) or ":" in str(SHIM):
        raise InputError(f"stall faults: {SHIM}: LD_PRELOAD takes no path with a space or a colon")
    return SHIM


def preload(shim: Path, control: Path) -> Mapping[str, str]:
    """Return the environment that puts a broker under the shim."""
    own = os.environ.get("LD_PRELOAD")
    libraries = f"{shim}:{own}" if own else str(shim)
    return {"LD_PRELOAD": libraries, "INSYNC_STALL_CONTROL": str(control.resolve())}


class StallFault:
    """A `Fault`: one stall, on one broker that runs under the shim."""

    def __init__(
        self,
        control: ControlFile,
        occasion: Occasion,
        delay_ms: int = 0,
        alive: Callable[[], bool] = lambda: True,
    ) -> None:
        """Plan it on the partitions of `occasion`; `delay_ms` only for its mode "delay".

        `alive` is asked at the end: a broker that was killed lets go of nothing any more.
        """
        self._occasion = occasion
        self._delay_ms = delay_ms
        self._holds = Holds(control, occasion.broker)
        self._alive = alive
        self._window = Window()

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Arm one rule per partition; raises InsyncError if the broker is not under the shim."""
        self._holds.check()
        plan = self._occasion
        self._window.begin()
        self._holds.arm(
            plan.target, Site[plan.site.upper()], Mode[plan.mode.upper()],
            planned_ms=plan.planned_ms, delay_ms=self._delay_ms,
        )  # fmt: skip

    def lift(self) -> None:
        """Lift the rules and wait until no call is held; raises InsyncError if some stay."""
        if not self._window.is_open:
            return
        self._holds.lift()
        self._window.end()
        if self._alive():
            self._holds.drain()
        else:
            self._holds.bury()

    def evidence(self) -> FaultLine:
        """Return what was held on all partitions together."""
        held = self._holds.total
        return self._window.line(self._occasion, held.longest_ms, held=held)
