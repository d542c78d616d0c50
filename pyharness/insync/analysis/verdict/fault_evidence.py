"""Says what is missing in the evidence of one fault.

A fault must have acted for half of its planned time, or as long as its scenario says, and its
kind may require figures besides (`missing` in `faults/kinds/`). A stricter rule would make runs
unknown in which a fault acted well enough to be seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from insync.events.run_info import PlannedFault
from insync.faults.kind import Recorded
from insync.faults.registry import KINDS

SHARE = 0.5
"""Of its planned time, how long a fault must have acted at least."""


def missing_evidence(plan: PlannedFault, fact: Recorded, name: str) -> Iterator[str]:
    """Say what is missing in the evidence of a fault that was planned as `plan`."""
    kind = KINDS.get(plan.kind)
    missing = None if kind is None else kind.missing(plan, fact)
    if missing is not None:
        yield f"no evidence of the {name}: {missing}"
        return
    least_ms = plan.acts_ms or (plan.delay_ms if plan.mode == "delay" else plan.for_ms) * SHARE
    if fact.acted_ms < least_ms:
        yield (
            f"weak evidence of the {name}: acted_ms was {fact.acted_ms:.0f},"
            f" expected at least {least_ms:.0f}"
        )
