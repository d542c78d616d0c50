"""Writes `fuzz.html`: every seed of a fuzz on every arm, its findings and reductions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.events.fuzz_info import PAGE, ArmResult, FuzzInfo, Reduced, SeedResult
from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.report.anchors import arm_id
from insync.report.page import says
from insync.report.render import asset, environment, smallest_enough
from insync.result import Table


@dataclass(frozen=True)
class Cell:
    """A seed on an arm as the page shows it; `link` is its place in the run's report."""

    state: str
    mark: str
    words: str
    link: str | None


@dataclass(frozen=True)
class Row:
    """A seed as the page shows it."""

    seed: int
    state: str
    workload: str
    faults: Sequence[str]
    cells: Sequence[Cell]


def write_fuzz_page(folder: Path, info: FuzzInfo) -> Path:
    """Write `folder/fuzz.html` and return its path."""
    return write_atomic(folder / PAGE, render_fuzz(info))


def render_fuzz(info: FuzzInfo) -> str:
    """Return the page as text; if it is too large, seeds that passed have no faults."""
    return smallest_enough(_render(info, brief=brief) for brief in (False, True))


def headline(info: FuzzInfo) -> str:
    """Return what a fuzz found, in one sentence without a full stop."""
    done = len(info.seeds)
    counts = _counts(info)
    of = f"{done} seed{_s(done)}" if done >= info.planned else f"{done} of {info.planned} seeds"
    found = f"{counts[Outcome.FAIL]} with findings" if counts[Outcome.FAIL] else "no finding"
    unknown = f", {counts[Outcome.UNKNOWN]} unknown" if counts[Outcome.UNKNOWN] else ""
    return f"{of} on {len(info.asked.arms)} arm{_s(len(info.asked.arms))}: {found}{unknown}"


def arms_table(info: FuzzInfo) -> Table:
    """Return the outcomes per arm, and what was lost of what only leaders had acked."""
    rows: list[tuple[str, ...]] = []
    for arm in info.asked.arms:
        own = [each.arms[arm] for each in info.seeds if arm in each.arms]
        counts = [sum(each.outcome == word for each in own) for word in _JUDGED]
        classes = [sum(_has(each, of) for each in own) for of in _CLASSES]
        sums = [sum(each.acked for each in own), sum(each.lost_acks_1 for each in own)]
        rows.append((arm, *map(str, (*counts, *classes, *sums))))
    return Table(
        title="Arms",
        columns=(
            "arm", "passed", "with findings", "unknown", "integrity", "agent errors", "liveness",
            "records acked", "lost with acks=1",
        ),
        rows=rows,
        empty="No arm was run.",
        numeric=range(1, 9),
    )  # fmt: skip


_JUDGED = (Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN)
_CLASSES = ("integrity", "agent", "liveness")


def _has(result: ArmResult, of: str) -> bool:
    return any(finding.of == of for finding in result.findings)


def _counts(info: FuzzInfo) -> Counter[Outcome]:
    return Counter(each.outcome for each in info.seeds)


def _s(number: int) -> str:
    return "" if number == 1 else "s"


def _render(info: FuzzInfo, *, brief: bool) -> str:
    outcome = info.outcome
    asked = info.asked
    return (
        environment()
        .get_template("fuzz.html.j2")
        .render(
            outcome=outcome,
            badge=(outcome.mark, _badge(info)),
            headline=headline(info),
            asked=asked,
            arms=[{"name": arm, "says": says(arm)} for arm in asked.arms],
            table=arms_table(info),
            findings=list(_of_outcome(info, Outcome.FAIL)),
            unknown=list(_of_outcome(info, Outcome.UNKNOWN)),
            reduced=[(each, reduced_words(each)) for each in info.reduced],
            rows=[_row(each, asked.arms, brief=brief) for each in info.seeds],
            facts=_facts(info),
            style=asset("page.css") + asset("fuzz.css"),
        )
    )


def _badge(info: FuzzInfo) -> str:
    missing = info.planned - len(info.seeds)
    if missing > 0:
        return f"{missing} seed{_s(missing)} not run yet"
    return {
        Outcome.PASS: "every seed passed on every arm",
        Outcome.FAIL: "a seed has a finding",
        Outcome.UNKNOWN: "a seed lacks evidence or was cut short",
    }[info.outcome]


def _of_outcome(info: FuzzInfo, outcome: Outcome) -> list[tuple[int, str, str]]:
    return [
        (seed.seed, arm, words_of(result))
        for seed in info.seeds
        for arm, result in seed.arms.items()
        if result.outcome == outcome
    ]


def words_of(result: ArmResult) -> str:
    """Return the findings of a result, or why it is unknown; empty if it passed."""
    return "; ".join(finding.words for finding in result.findings) or result.unknown or ""


def reduced_words(each: Reduced) -> str:
    """Return what a reduction came to."""
    if each.file is None:
        return f"none of {each.replays} replays had such a finding: not reduced"
    end = "" if each.complete else "; the time was over before the reduction ended"
    return (
        f"{each.faults_before} faults reduced to {each.faults}; "
        f"{each.failed} of {each.replays} replays of the reduced scenario failed{end}"
    )


def _row(seed: SeedResult, arms: Sequence[str], *, brief: bool) -> Row:
    cells = [_cell(seed.arms[arm], arm) for arm in arms if arm in seed.arms]
    faults = () if brief and seed.outcome == Outcome.PASS else seed.faults
    return Row(seed.seed, seed.outcome, seed.workload, faults, cells)


def _cell(result: ArmResult, arm: str) -> Cell:
    link = f"{result.report}#{arm_id(arm)}" if result.report else None
    return Cell(result.outcome, result.outcome.mark, words_of(result), link)


def _facts(info: FuzzInfo) -> list[tuple[str, str]]:
    asked = info.asked
    return [
        ("Kafka", asked.kafka),
        ("arms", ", ".join(asked.arms)),
        ("shape", asked.shape),
        ("seeds run", f"{len(info.seeds)} of {info.planned}"),
        *([("broker configs", ", ".join(f"{k}={v}" for k, v in asked.settings.items()))]
          if asked.settings else []),
        ("agent's jar, SHA-256", (asked.agent or "none")[:16]),
    ]  # fmt: skip
