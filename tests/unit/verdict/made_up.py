"""Verdicts and cells as their files hold them, and runs that differ in a few keys."""

from typing import Any

from insync.events.run_info import RunInfo
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


def with_scenario(run: RunInfo, **changed: object) -> RunInfo:
    return run.model_copy(update={"scenario": run.scenario.model_copy(update=changed)})


def with_workload(run: RunInfo, **changed: object) -> RunInfo:
    return with_scenario(run, workload=run.scenario.workload.model_copy(update=changed))
