"""The stall fault: chosen system calls of one broker on chosen topic-partitions wait.

The calls are caught by the LD_PRELOAD shim `native/stall.c`; this side builds the
environment a broker must be started with, arms and lifts rules, and reads back
what they held.
"""

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.errors import InputError, InsyncError
from insync.events.schema import FaultLine, now_ms
from insync.faults.control import ControlFile, Counters, Mode, Rule, Site

SHIM = Path(__file__).parents[1] / "_built" / "libinsync_stall.so"
DRAIN_SECONDS = 5.0  # held calls leave within milliseconds; more means a dead or frozen broker
DEADLINE_SECONDS = 5.0  # how far beyond its planned time a stall may live if the harness dies


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


@dataclass(frozen=True, kw_only=True, slots=True)
class StallPlan:
    """What a stall does and to whom; times in milliseconds, `delay_ms` only for mode "delay"."""

    arm: str
    repeat: int
    site: str
    mode: str
    delay_ms: int
    broker: int
    topic: str
    partitions: Sequence[int]
    planned_ms: int

    @property
    def targets(self) -> list[str]:
        """The topic-partitions as folder names."""
        return [f"{self.topic}-{partition}" for partition in self.partitions]


class StallFault:
    """A `Fault`: one stall, on one broker that runs under the shim."""

    def __init__(self, control: ControlFile, plan: StallPlan) -> None:
        self._control = control
        self._plan = plan
        self._slots: list[int] = []
        self._injected_ms = 0.0
        self._lifted_ms: float | None = None

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Arm one rule per partition; raises InsyncError if the broker is not under the shim."""
        if self._control.attached == 0:
            raise InsyncError(f"broker {self._plan.broker} did not load the stall shim")
        self._injected_ms = now_ms()
        for target in self._plan.targets:
            self._slots.append(self._control.arm(self._rule(target)))

    def lift(self) -> None:
        """Lift the rules and wait until no call is held; raises InsyncError if some stay."""
        if not self._slots or self._lifted_ms is not None:
            return
        for slot in self._slots:
            self._control.lift(slot)
        self._lifted_ms = now_ms()
        give_up = time.monotonic() + DRAIN_SECONDS
        while held := sum(counters.held_now for counters in self._counters()):
            if time.monotonic() > give_up:
                raise InsyncError(f"{held} calls still held {DRAIN_SECONDS:.0f} s after the lift")
            time.sleep(0.001)  # the shim writes into memory: there is nothing to wait on

    def evidence(self) -> FaultLine:
        """Return the counters of all partitions together."""
        if self._lifted_ms is None:
            raise InsyncError("evidence of a stall that was not injected and lifted")
        plan, seen = self._plan, self._counters()
        return FaultLine(
            arm=plan.arm, repeat=plan.repeat, fault="stall", site=plan.site, mode=plan.mode,
            broker=plan.broker, target=plan.targets, injected_ms=self._injected_ms,
            lifted_ms=self._lifted_ms, planned_ms=plan.planned_ms,
            calls_held=sum(counters.calls for counters in seen),
            held_ms=sum(counters.held_ns for counters in seen) / 1e6,
            longest_held_ms=(longest_ms := max(counters.longest_ns for counters in seen) / 1e6),
            acted_ms=longest_ms,
        )  # fmt: skip

    def _counters(self) -> list[Counters]:
        return [self._control.counters(slot) for slot in self._slots]

    def _rule(self, target: str) -> Rule:
        lifetime = self._plan.planned_ms / 1000 + DEADLINE_SECONDS
        return Rule(
            site=Site[self._plan.site.upper()],
            mode=Mode[self._plan.mode.upper()],
            target=target,
            delay_ns=self._plan.delay_ms * 1_000_000,
            deadline_ns=time.monotonic_ns() + int(lifetime * 1e9),
        )
