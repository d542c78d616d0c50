"""Writes `verdict.json`: the form other programs rely on, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from insync import metrics
from insync.analysis.verdict.decide import Verdict
from insync.analysis.verdict.facts import FaultFact, RepeatFacts
from insync.analysis.verdict.findings import Finding
from insync.events.run_info import RunInfo
from insync.events.schema import VERDICT
from insync.events.writer import write_atomic


def as_json(run: RunInfo, verdict: Verdict, engine: str) -> dict[str, object]:
    """Return the file's content: lists hold one value per repeat, null if it is not known.

    `engine` is what computed the tables.
    """
    return {
        "scenario": run.scenario_name,
        "kafka": run.kafka,
        "client": run.scenario.workload.client,
        "scale": run.scale,
        "seed": run.seed,
        "verdict": verdict.outcome,
        "reason": verdict.reason,
        "engine": engine,
        "findings": as_list(verdict.findings),
        "arms": {arm: arm_figures(repeats) for arm, repeats in verdict.facts.arms.items()},
    }


def as_list(found: Sequence[Finding]) -> list[dict[str, str | None]]:
    """Return the findings as JSON; `arm` is null for a finding of the whole run."""
    return [asdict(each) for each in found]


def write_verdict(folder: Path, run: RunInfo, verdict: Verdict, engine: str) -> dict[str, object]:
    """Write `folder/verdict.json` and return its content."""
    content = as_json(run, verdict, engine)
    write_atomic(folder / VERDICT, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return content


def arm_figures(repeats: tuple[RepeatFacts, ...]) -> dict[str, object]:
    """Return the figures of an arm: lists hold one value per repeat."""
    by_metric = {
        name: [figure(repeat.metrics[name]) for repeat in repeats] for name in metrics.of_verdict()
    }
    agent_errors = [repeat.agent_errors for repeat in repeats]
    return {
        "repeats": len(repeats),
        **by_metric,
        "evidence": [_evidence(fault) for repeat in repeats for fault in repeat.faults],
        "agent_errors": agent_errors if any(repeat.agents for repeat in repeats) else [],
    }


def _evidence(fault: FaultFact) -> dict[str, object]:
    return {
        "fault": fault.fault,
        "site": fault.site,
        "target": list(fault.target),
        "calls_held": fault.calls_held,
        "held_ms": figure(fault.held_ms),
        "longest_held_ms": figure(fault.longest_held_ms),
        "acted_ms": figure(fault.acted_ms),
        "figures": {name: figure(value) for name, value in fault.figures.items()},
    }


def figure(value: float | None) -> float | None:
    """Round to a tenth, which is as fine as the clocks are; write whole numbers without a point."""
    if value is None or value == int(value):
        return None if value is None else int(value)
    return round(value, 1)
