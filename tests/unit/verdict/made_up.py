"""Verdicts and cells as their files hold them."""

from typing import Any

from insync.events.verdict import Cell, Verdict


def verdict(**keys: Any) -> Verdict:
    """Return the verdict of a run that passed, unless `keys` say otherwise."""
    known = {"scenario": "made-up", "kafka": "4.3.1", "client": "librdkafka", "scale": 1.0,
             "seed": 1, "verdict": "pass", "reason": "", "arms": {}}  # fmt: skip
    return Verdict.model_validate({**known, **keys})


def cell(scenario: str = "read-stall", arm: str = "stock", **keys: Any) -> Cell:
    """Return a cell of one repeat that passed, unless `keys` say otherwise."""
    known = {"scenario": scenario, "arm": arm, "kafka": "4.3.1", "outcome": "pass", "repeats": 1}
    return Cell.model_validate({**known, **keys})
