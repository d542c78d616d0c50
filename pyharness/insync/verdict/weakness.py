"""What makes the evidence of one fault too weak, by the kind of the fault.

A fault must have acted for half of its planned time, and by the figure that its kind
leaves. More would make runs unknown in which a fault acted well enough to be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from insync.events.run_info import PlannedFault
from insync.verdict.facts import FaultFact

SHARE = 0.5
"""Of its planned time, how long a fault must have acted at least."""

MOST_CPU_MS = 100.0
"""CPU time of a frozen process: threads on their way to stop; a running broker has more."""


def weakness(plan: PlannedFault, fact: FaultFact, name: str) -> Iterator[str]:
    """Say what is missing in the evidence of a fault that was planned as `plan`."""
    missing = _MISSING[plan.kind](plan, fact) if plan.kind in _MISSING else None
    if missing is not None:
        yield f"no evidence of the {name}: {missing}"
        return
    least_ms = (plan.delay_ms if plan.mode == "delay" else plan.for_ms) * SHARE
    if fact.acted_ms < least_ms:
        yield (
            f"weak evidence of the {name}: acted_ms was {fact.acted_ms:.0f},"
            f" expected at least {least_ms:.0f}"
        )


def _held_none(_: PlannedFault, fact: FaultFact) -> str | None:
    return None if fact.calls_held else "calls_held was 0, expected at least 1"


def _ran_on(_: PlannedFault, fact: FaultFact) -> str | None:
    cpu_ms = fact.figures.get("cpu_ms", 0.0)
    return None if cpu_ms <= MOST_CPU_MS else _figure("cpu_ms", cpu_ms, f"at most {MOST_CPU_MS:g}")


def _not_throttled(_: PlannedFault, fact: FaultFact) -> str | None:
    times = fact.figures.get("throttled", 0.0)
    return None if times else _figure("throttled", times, "at least 1")


def _threads_free(_: PlannedFault, fact: FaultFact) -> str | None:
    threads, held = fact.figures.get("threads", 0.0), fact.figures.get("held", 0.0)
    return None if threads and held == threads else _figure("held", held, f"exactly {threads:g}")


def _not_moved(plan: PlannedFault, fact: FaultFact) -> str | None:
    moved, expected = fact.figures.get("moved", 0.0), len(plan.partitions)
    return None if moved == expected else _figure("moved", moved, f"exactly {expected}")


def _figure(name: str, value: float, expected: str) -> str:
    return f"{name} was {value:g}, expected {expected}"


_MISSING: Mapping[str, Callable[[PlannedFault, FaultFact], str | None]] = {
    "stall": _held_none,
    "freeze": _ran_on,
    "cpu-quota": _not_throttled,
    "queue-stall": _threads_free,
    "elect": _not_moved,
}
