"""Define what a level is: a name, what it judges, and the function that runs it.

To add a level, add a file with a `LEVEL` to `levels/`. A level raises InsyncError if it cannot
run; it is then unknown, and the others still run.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.brokers.kafka.java import Java
from insync.engines import AnalysisOptions
from insync.events.verify_info import AskedVerify, CheckRow, LevelInfo
from insync.outcome import Outcome, worst
from insync.progress import Progress
from insync.result import Table
from insync.verify.criteria import Criteria
from insync.verify.sides import Side


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What a level may use besides the two sides.

    Args:
        asked: the whole request.
        criteria: the criteria of the file or of insync.
        java: the Java that runs brokers.
        analysis: what computes the tables.
        progress: gets a line per phase.

    """

    asked: AskedVerify
    criteria: Criteria
    java: Java
    analysis: AnalysisOptions
    progress: Progress


Run = Callable[[Side, Side, Path, Context], LevelInfo]
"""Runs a level: candidate, baseline, and the level's own folder, which may hold what an
interrupted verification left there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """A level.

    Attributes:
        name: that of its file.
        says: what it judges.
        place: where it is in the order of the levels.
        run: runs it.
        long: whether it is left out where no level is named, because it takes long.

    """

    name: str
    says: str
    place: int
    run: Run
    long: bool = False


def result(
    level: str,
    rows: Sequence[CheckRow],
    *,
    tables: Sequence[Table] = (),
    links: dict[str, str] | None = None,
    notes: Sequence[str] = (),
) -> LevelInfo:
    """Return the result of a level by its rows; `notes` are what went wrong besides.

    A level in which nothing is expected is observed.
    """
    outcome = worst(row.outcome for row in rows)
    return LevelInfo(
        level=level, outcome=outcome, reason=_reason(rows, outcome, notes), rows=tuple(rows),
        tables=tuple(tables), links=links or {},
    )  # fmt: skip


def _reason(rows: Sequence[CheckRow], outcome: Outcome, notes: Sequence[str]) -> str:
    if not rows:
        return "; ".join(notes) or "nothing was checked"
    if outcome in (Outcome.PASS, Outcome.OBSERVED):
        judged = sum(row.outcome != Outcome.OBSERVED for row in rows)
        return f"{judged} checks passed" if judged else f"{len(rows)} facts, nothing is expected"
    own = [row for row in rows if row.outcome == outcome]
    first = own[0]
    why = first.why or f"{first.check}: {first.candidate}"
    more = f" ({len(own) - 1} more)" if len(own) > 1 else ""
    said = f"{first.of}: {why}{more}"
    return "; ".join([*notes, said])
