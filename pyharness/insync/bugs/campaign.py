"""The campaign of `insync bugs`: are bugs of the past seen, and only where they are.

A repeat of a bug is its scenario on the affected and on the fixed release, side by side, each on a
cluster of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from insync.bugs.corpus import ARM, Bug, chosen, tried
from insync.engine.campaign import Done
from insync.engine.scenarios import CellResult, ScenarioCampaign
from insync.errors import InputError
from insync.events.run_info import Bound
from insync.events.verdict import EVIDENCE
from insync.metrics import METRICS
from insync.outcome import Outcome, worst
from insync.report.matrix.cells import full
from insync.result import Result, Table
from insync.run.cell import CellSpec
from insync.run.plan import resolve_cells
from insync.run.request import RunRequest
from insync.scenario.model import Bounds

MOST_REPEATS: Final = 100
NO_FIX: Final = "none yet"


@dataclass(frozen=True, slots=True)
class Seen:
    """Whether a repeat showed the bug, None if it is void; and the figures, or why it is void."""

    found: bool | None
    words: str


class Bugs(ScenarioCampaign):
    name = "bugs"
    says = "bugs of Kafka's past, on an affected release and on the fixed one"
    part = "bug"
    notes = (
        "A bug passes if it is found in every repeat on the affected release, and in none on"
        " the fixed one. Of a bug without a fix only the affected release is played, which does"
        " not show that it would not be found elsewhere.",
        "A repeat is void, and its bug unknown, if a fault did not act, a cluster did not"
        " start, or something was not recorded. If all that the bug is found by is liveness and"
        " known, other things may be missing.",
    )
    batch = 1

    def __init__(self, ids: Sequence[str] = (), repeats: int = 1, at_once: int = 2) -> None:
        """Plan the bugs that are named, or all; raises InputError. Writes nothing."""
        if not 1 <= repeats <= MOST_REPEATS:
            raise InputError(f"--repeat {repeats}: expected 1 to {MOST_REPEATS}")
        self._bugs = chosen(ids)
        self._repeats = repeats
        self.at_once = at_once
        self._cells = [
            cell for bug in self._bugs for number in range(repeats) for cell in _cells(bug, number)
        ]

    def asked(self) -> Mapping[str, Any]:
        files = "".join(bug.model_dump_json() for bug in self._bugs)
        return {
            "bugs": [bug.id for bug in self._bugs],
            "their files, SHA-256": sha256(files.encode()).hexdigest(),
            "repeats": self._repeats,
        }

    def cells(self, done: Done) -> list[CellSpec]:
        return self._cells

    def group(self, cell: CellSpec) -> str:
        """Return the repeat, whose releases run side by side."""
        return str(cell.out.parent)

    def seconds(self, cells: Sequence[CellSpec]) -> float:
        """Return how long repeats take, as their files say."""
        minutes = {bug.id: bug.minutes for bug in self._bugs}
        return sum(60 * minutes[group] for group, _ in {cell.out.parts[:2] for cell in cells})

    def is_final(self, result: Any) -> bool:
        """Whether a repeat is not void."""
        name = result["cell"]["scenario"].upper()
        return all(look(bug, result).found is not None for bug in self._bugs if bug.id == name)

    def judge(self, done: Done) -> Result:
        seen = {
            bug.id: {kafka: self._seen(bug, kafka, done) for kafka in bug.releases}
            for bug in self._bugs
        }
        return Result(
            of="bugs of Kafka's past",
            children=tuple(
                judge_bug(bug, seen[bug.id]) for bug in self._bugs if any(seen[bug.id].values())
            ),
            tables=tables_of(self._bugs, seen),
        )

    def _seen(self, bug: Bug, kafka: str, done: Done) -> dict[str, Seen]:
        """Return what the repeats on a release showed, by their reports."""
        names = [f"{bug.id}/{number + 1}/{kafka}/{ARM}" for number in range(self._repeats)]
        return {done[name]["report"]: look(bug, done[name]) for name in names if name in done}


def _cells(bug: Bug, number: int) -> Iterator[CellSpec]:
    """Yield the cells of a repeat; each one has a seed of its own."""
    scenario = bug.resolved()
    for kafka in bug.releases:
        request = RunRequest(scenario=scenario, kafka=kafka, seed=number + 1)
        yield from resolve_cells(request, Path(bug.id) / str(number + 1) / kafka)


def look(bug: Bug, known: Mapping[str, Any]) -> Seen:
    """Return whether the result of a cell shows a bug."""
    result = CellResult.model_validate(known)
    values = {metric: next(iter(result.cell.values(metric)), None) for metric in bug.found}
    words = ", ".join(
        f"{METRICS[metric].label} {'none' if value is None else full(metric, value)}"
        for metric, value in values.items()
    )
    found = all(_is_within(value, bug.found[metric]) for metric, value in values.items())
    if None not in values.values() and _stands(bug, result):
        return Seen(found, words)
    why = _why_void(result, [metric for metric, value in values.items() if value is None])
    return Seen(found, words) if why is None else Seen(None, why)


def _stands(bug: Bug, result: CellResult) -> bool:
    """Whether what is known of liveness counts although other things were not recorded.

    A node that ends, or does not come back, leaves no data of its own, and may cut a repeat short;
    and a reader may not come to the end of a log of which a fault took a part.
    """
    evidence = (result.cell.model_extra or {}).get("evidence", ())
    acted = [each for each in evidence if each["acted_ms"] > 0]
    return (
        all(METRICS[metric].liveness for metric in bug.found)
        and len(acted) == len(bug.resolved().faults)
        and not (result.broken and result.broken.by_fault)
    )


def _why_void(result: CellResult, missing: Sequence[str]) -> str | None:
    """Return why a cell says nothing about a bug, if so; `missing` are metrics without a value."""
    cell, broken = result.cell, result.broken
    skipped = cell.reason if cell.outcome == Outcome.SKIPPED else ""
    why = skipped or result.failure or (broken and broken.why)
    of_evidence = (each for each in cell.findings if each.expected == EVIDENCE)
    invalid = [each.words for each in of_evidence if each.outcome == Outcome.UNKNOWN]
    if why or invalid:
        return " ".join(str(why or invalid[0]).split()).removeprefix(f"{ARM}, ")
    needed = [metric for metric in missing if not METRICS[metric].optional]
    return f"no data for {', '.join(needed)}" if needed else None


def _is_within(value: float | None, bounds: Bounds) -> bool:
    """Whether a value is within bounds; an optional metric without a value is not."""
    if value is None:
        return False
    most = None if bounds.max is None else bounds.max + bounds.margin
    return (bounds.min is None or value >= bounds.min) and (most is None or value <= most)


def judge_bug(bug: Bug, seen: Mapping[str, Mapping[str, Seen]]) -> Result:
    """Return what a bug comes to, by what each release showed."""
    what = ", ".join(
        f"{METRICS[name].label} {Bound(**bounds.model_dump()).written(partial(full, name))}"
        for name, bounds in bug.found.items()
    )
    return Result(
        of=bug.id,
        expected=bug.summary,
        children=tuple(
            _judge_release(kafka, own, what, affected=kafka == bug.affected)
            for kafka, own in seen.items() if own
        ),
    )  # fmt: skip


def _judge_release(kafka: str, seen: Mapping[str, Seen], what: str, *, affected: bool) -> Result:
    """Return whether every repeat on a release showed the bug, or none did."""
    outcomes = [
        Outcome.UNKNOWN if each.found is None
        else Outcome.PASS if each.found is affected
        else Outcome.FAIL
        for each in seen.values()
    ]  # fmt: skip
    figures = "; ".join(dict.fromkeys(each.words for each in seen.values()))
    return Result(
        of=f"{kafka}, {'affected' if affected else 'fixed'}",
        expected=f"{'' if affected else 'not '}found: {what}",
        found=f"{_count(seen)}: {figures}",
        outcome=worst(outcomes),
        links={f"repeat {number}": page for number, page in enumerate(seen, 1)},
    )


def _count(seen: Mapping[str, Seen]) -> str:
    """Return in how many repeats a bug was found, and how many were void."""
    found = sum(each.found is True for each in seen.values())
    void = sum(each.found is None for each in seen.values())
    if not seen:
        return "not run"
    return f"found in {found} of {len(seen)}" + (f", {void} void" if void else "")


def tables_of(
    bugs: Sequence[Bug], seen: Mapping[str, Mapping[str, Mapping[str, Seen]]]
) -> tuple[Table, Table]:
    """Return the bugs with what each release showed, and those that are not played."""
    rows = []
    for bug in bugs:
        own = [_count(seen.get(bug.id, {}).get(kafka, {})) for kafka in bug.releases]
        fixed = [bug.fixed, own[1]] if bug.fixed else [NO_FIX, ""]
        rows.append((bug.id, bug.summary, bug.affected, own[0], *fixed, f"{bug.minutes:g}"))
    return (
        Table(
            title="Releases",
            columns=("bug", "what goes wrong", "affected", "there", "fixed", "there", "minutes"),
            rows=rows,
            numeric=[6],
        ),
        Table(
            title="Bugs that are not played",
            columns=("bug", "why"),
            rows=list(tried().items()),
        ),
    )
