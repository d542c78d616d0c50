"""What makes the evidence of one fault too weak, by the kind of the fault.

A fault must have acted for half of its planned time, or as long as its scenario says, and by
the figure that its kind leaves. More would make runs unknown in which a fault acted well enough
to be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from insync.analysis.verdict.facts import FaultFact
from insync.events.run_info import PlannedFault

SHARE = 0.5
"""Of its planned time, how long a fault must have acted at least."""

MOST_CPU_MS = 100.0
"""CPU time of a frozen process: threads on their way to stop; a running broker has more."""

LEAST_WAIT = 0.1
"""Of its time beside busy neighbours, how long a node's threads must have waited in sum."""

LOOKS = 2
"""How often a write to a disk that takes none is tried: at the beginning and at the end."""


def weakness(plan: PlannedFault, fact: FaultFact, name: str) -> Iterator[str]:
    """Say what is missing in the evidence of a fault that was planned as `plan`."""
    missing = _MISSING[plan.kind](plan, fact) if plan.kind in _MISSING else None
    if missing is not None:
        yield f"no evidence of the {name}: {missing}"
        return
    least_ms = plan.acts_ms or (plan.delay_ms if plan.mode == "delay" else plan.for_ms) * SHARE
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


def _moved_nothing(_: PlannedFault, fact: FaultFact) -> str | None:
    read, written = fact.figures.get("read_bytes", 0.0), fact.figures.get("written_bytes", 0.0)
    if read or written:
        return None
    return "read_bytes and written_bytes were 0, expected reads that miss the page cache, or fsyncs"


def _took_writes(_: PlannedFault, fact: FaultFact) -> str | None:
    refused = fact.figures.get("refused", 0.0)
    return None if refused == LOOKS else _figure("refused", refused, f"exactly {LOOKS}")


def _had_the_core(_: PlannedFault, fact: FaultFact) -> str | None:
    waited_ms = fact.figures.get("waited_ms", 0.0)
    least_ms = fact.acted_ms * LEAST_WAIT
    if waited_ms >= least_ms > 0:
        return None
    return f"waited_ms was {waited_ms:.0f}, expected at least {least_ms:.0f}"


def _lost_nothing(_: PlannedFault, fact: FaultFact) -> str | None:
    removed = fact.figures.get("removed_bytes", 0.0)
    return None if removed else _figure("removed_bytes", removed, "more than 0")


def _passed(plan: PlannedFault, fact: FaultFact) -> str | None:
    cut = plan.mode == "cut"
    if cut and (passed := fact.figures.get("passed_bytes", 0.0)):
        return _figure("passed_bytes", passed, "exactly 0")
    held = "held_bytes" if cut else "held_pieces"
    return None if fact.figures.get(held) else f"{held} was 0, expected at least 1"


def _figure(name: str, value: float, expected: str) -> str:
    return f"{name} was {value:g}, expected {expected}"


_MISSING: Mapping[str, Callable[[PlannedFault, FaultFact], str | None]] = {
    "stall": _held_none,
    "freeze": _ran_on,
    "cpu-quota": _not_throttled,
    "cpu-neighbour": _had_the_core,
    "queue-stall": _threads_free,
    "lost-log": _lost_nothing,
    "link": _passed,
    "disk-stall": _held_none,
    "disk-throttle": _moved_nothing,
    "disk-full": _took_writes,
    "disk-read-only": _took_writes,
    "elect": _not_moved,
}
