"""Judge the runs of a batch: integrity, errors of agents, liveness; nothing else is expected.

A scenario that was cut short because the cluster did not come back is a finding. One that was cut
short because a fault could not act, or that lacks evidence of a fault, is unknown.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from insync import metrics
from insync.engine.task import TASKS, progress_file
from insync.errors import InsyncError
from insync.events.fuzz_info import ArmResult, Finding, SeedResult
from insync.events.matrix_info import CELLS
from insync.events.schema import REPORT
from insync.nodes import node_words, repeat_words
from insync.outcome import Outcome
from insync.progress import ProgressReader
from insync.scenario.model import Scenario

CUT_SHORT = "cut short"


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a scenario was cut short on an arm, and whether a fault that could not act was why."""

    why: str
    by_fault: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """The results of one scenario by arm; `whole` if none of them was interrupted from outside."""

    arms: Mapping[str, ArmResult]
    whole: bool


def judge_batch(folder: Path, scenarios: Mapping[str, Scenario], kafka: str) -> dict[str, Judged]:
    """Return the results of an analysed batch by scenario; raises InsyncError."""
    try:
        cells = json.loads((folder / CELLS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InsyncError(f"{folder / CELLS}: {error}, expected the cells of a batch") from error
    broken = {arm: read_broken(folder, kafka, arm) for arm in {cell["arm"] for cell in cells}}
    found: dict[str, dict[str, ArmResult]] = {}
    cut: set[str] = set()
    for cell in cells:
        name, arm = cell["scenario"], cell["arm"]
        why = broken[arm].get(name)
        report = folder / kafka / name / REPORT
        found.setdefault(name, {})[arm] = judge(cell, scenarios[name].workload.acks, why, report)
        if why is None and CUT_SHORT in (cell["unknown"] or ""):
            cut.add(name)
    return {name: Judged(arms, name not in cut) for name, arms in found.items()}


def judge(cell: Mapping[str, Any], acks: str, broken: Broken | None, report: Path) -> ArmResult:
    """Return the result of a scenario on an arm, from its cell in `matrix.json`."""
    findings = tuple(_findings(cell, acks, broken))
    unknown = _without_place(cell["skipped"] or cell["unknown"], cell["arm"])
    if broken is not None and broken.by_fault:
        unknown = f"a fault could not act: {broken.why}"
    lost = _total(cell, metrics.LOST) if acks == "1" else 0
    return ArmResult(
        outcome=Outcome.FAIL if findings else Outcome.UNKNOWN if unknown else Outcome.PASS,
        findings=findings,
        unknown=None if findings else unknown,
        acked=_total(cell, "acked"),
        lost_acks_1=lost,
        report=str(report),
    )


def _findings(cell: Mapping[str, Any], acks: str, broken: Broken | None) -> Iterator[Finding]:
    for name in metrics.integrity(acks):
        count = _total(cell, name)
        if count:
            yield Finding(of="integrity", metric=name, words=f"{name} was {count}, expected 0")
    errors = _total(cell, "agent_errors")
    if errors:
        yield Finding(of="agent", words=f"errors of the agents' own code were {errors}, expected 0")
    for name, metric in metrics.METRICS.items():
        count = _total(cell, name) if getattr(metric, "liveness", False) else 0
        if count:
            yield Finding(of="liveness", metric=name, words=f"{name} was {count}, expected 0")
    if broken is not None and not broken.by_fault:
        yield Finding(of="liveness", words=broken.why)


def _without_place(words: str | None, arm: str) -> str | None:
    """Return a reason without its arm and repeat, of which a seed has one."""
    return words and words.removeprefix(f"{arm}, ").removeprefix(f"{repeat_words(0)}: ")


def _total(cell: Mapping[str, Any], name: str) -> int:
    return int(sum(value or 0 for value in cell.get(name) or ()))


def read_broken(folder: Path, kafka: str, arm: str) -> dict[str, Broken]:
    """Return the scenarios that were cut short on an arm by an error, from its progress."""
    file = progress_file(folder / kafka / TASKS, arm)
    return {
        news["broken"]: Broken(news["why"], news["by_fault"])
        for news in ProgressReader(file).news()
        if "broken" in news
    }


def seed_result(seed: int, scenario: Scenario, judged: Judged, out: Path) -> SeedResult:
    """Return a seed with its results; reports are relative to the folder `out`."""
    arms = {
        arm: result.model_copy(
            update={"report": Path(str(result.report)).relative_to(out).as_posix()}
        )
        for arm, result in judged.arms.items()
    }
    in_order = sorted(scenario.faults, key=lambda fault: fault.at_ms)
    faults = tuple(_fault_words(fault) for fault in in_order)
    return SeedResult(
        seed=seed, scenario=scenario.name, faults=faults, workload=workload_words(scenario),
        arms=arms,
    )  # fmt: skip


def _fault_words(fault: Any) -> str:
    length = (fault.end_ms - fault.at_ms) / 1000
    lasts = f" for {length:g} s" if length else ""
    return f"{fault.words} at {node_words(fault.broker)} at {fault.at_ms / 1000:g} s{lasts}"


def workload_words(scenario: Scenario) -> str:
    """Return what is particular about a workload, in a few words."""
    workload = scenario.workload
    words = [f"acks={workload.acks}", workload.client]
    words += ["idempotent"] if workload.idempotent else []
    words += ["transactions"] if workload.transactions else []
    words += ["a consumer group"] if workload.groups else []
    words += ["bursts"] if workload.bursts else []
    count = len(workload.leaders)
    words.append(f"{count} partition{'s' if count > 1 else ''}")
    return ", ".join([*words, f"min ISR {scenario.min_insync_replicas}"])
