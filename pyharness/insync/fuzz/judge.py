"""Judge a seed on an arm: integrity, errors of agents, liveness; nothing else is expected.

A scenario that was cut short because the cluster did not come back is a finding. One that was cut
short because a fault could not act, or that lacks evidence of a fault, is unknown.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from insync import metrics
from insync.engine.scenarios import Broken, CellResult
from insync.events.run_info import time_words
from insync.events.verdict import Cell
from insync.faults.spec import Planned
from insync.outcome import Outcome
from insync.scenario.model import Scenario

Class = Literal["integrity", "agent", "liveness"]
CLASSES: Final[tuple[Class, ...]] = ("integrity", "agent", "liveness")


@dataclass(frozen=True, kw_only=True, slots=True)
class ArmResult:
    """A seed on one arm: what happened that must not, in words, by its class.

    `lost_acks_1` counts lost records that only their leader had acked.
    """

    findings: Mapping[Class, str] = field(default_factory=dict)
    unknown: str | None = None
    acked: int = 0
    lost_acks_1: int = 0

    @property
    def outcome(self) -> Outcome:
        """Its outcome: a finding counts even if something is not known."""
        if self.findings:
            return Outcome.FAIL
        return Outcome.UNKNOWN if self.unknown else Outcome.PASS

    @property
    def words(self) -> str:
        """The findings, or why it is unknown; empty if it passed."""
        return "; ".join(self.findings.values()) or self.unknown or ""


def judge(result: CellResult, acks: str) -> ArmResult:
    """Return what a cell comes to."""
    cell, broken = result.cell, result.broken
    findings: dict[Class, str] = {}
    for of, words in _findings(cell, acks, broken):
        findings[of] = f"{findings[of]}; {words}" if of in findings else words
    unknown = cell.reason if cell.outcome in (Outcome.SKIPPED, Outcome.UNKNOWN) else None
    if broken is not None and broken.by_fault:
        unknown = f"a fault could not act: {broken.why}"
    return ArmResult(
        findings=findings,
        unknown=None if findings else unknown,
        acked=cell.total("acked"),
        lost_acks_1=cell.total(metrics.LOST) if acks == "1" else 0,
    )


def _findings(cell: Cell, acks: str, broken: Broken | None) -> Iterator[tuple[Class, str]]:
    counted: list[tuple[Class, str]] = [
        *(("integrity", name) for name in metrics.integrity(acks)),
        ("agent", "agent_errors"),
        *(("liveness", name) for name, each in metrics.METRICS.items() if each.liveness),
    ]
    for of, name in counted:
        if count := cell.total(name):
            yield of, f"{name} was {count}, expected 0"
    if broken is not None and not broken.by_fault:
        yield "liveness", broken.why


def fault_words(fault: Planned) -> str:
    """Return what a fault does, where, when and for how long."""
    length_ms = fault.end_ms - fault.at_ms
    lasts = f" for {time_words(length_ms)}" if length_ms else ""
    return f"{fault.words} at {fault.at_ms / 1000:g} s{lasts}"


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
