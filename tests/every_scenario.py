"""Plans and records the built-in scenarios on the arms that they are about.

Scenarios are discovered: a new file in `scenario/builtin` is run without any change here.
`make test` leaves out those of `LONG`; `make test-all` runs all of them, on all arms.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from insync.brokers.kafka.versions import DEFAULT, known
from insync.events.matrix_info import FIGURES, MatrixInfo, MatrixRow
from insync.matrix.plan import MatrixPlan, MatrixRequest
from insync.matrix.runner import record_matrix
from insync.run.plan import resolve
from insync.run.progress import NoProgress
from insync.run.request import RunRequest
from insync.scenario.groups import Group, groups
from insync.scenario.load import builtin_names, load
from insync.scenario.model import Scenario

NEWEST: Final = max(known(), key=lambda version: [int(part) for part in version.split(".")])
AFFECTED: Final = "1.1.0"
"""A version with the bug of KAFKA-7104; on newer ones its scenario shows that it is gone."""
SEED: Final = 5
TWO: Final = 2

_ABOUT: Final[Mapping[str, Sequence[str]]] = {
    "policies": ["messages-4"],
    "article": ["messages-4"],
    "kafka-7104": ["both"],
    "commit-latency": ["messages-4000"],
    "kip-501": ["request"],
    "added-replica": ["messages-4000"],
    "control": ["stock", "off", "plugin"],
    "read-stall": ["stock", "off", "read", "request"],
    "burst": ["messages-4", "request"],
    "two-slow-leaders": ["stock", "step-down"],
    "step-down-read": ["step-down", "kip-501-s2"],
    "step-down-send": ["stock", "elr-off", "step-down"],
    "read-errors": ["relinquish-only"],
    "read-errors-in-turn": ["relinquish-only"],
    "relinquish-on-stock-controller": ["step-down-keep"],
    "step-down": ["step-down"],
}
"""The arms that a scenario or its group is about; all others are about the last of their arms."""
ONLY_ALL: Final = frozenset(
    {
        "step-down-unthrottled", "step-down-auto", "raised-lag", "relinquish-only", "bound",
        "snapshot",
    }
)  # fmt: skip
"""The arms that only `make test-all` runs in a scenario; other tests run all but the first three.

What `step-down-auto` adds to `step-down` is in the Java tests of LearntStepDownTest.
"""
LONG: Final = frozenset(
    {
        "all-slow", "bootstrapping-replica", "burst-at-threshold", "burst-over-threshold",
        "burst-steady", "commit-latency", "cpu-starved", "dead-follower", "disk-stall",
        "follower-pause", "follower-restart-mid-stall", "follower-stops-reading", "freeze",
        "fsync-stall", "groups", "hung-follower", "index-stall", "kafka-7104-retention",
        "leader-change-mid-stall", "leader-death-mid-read-stall", "limits-updated", "link-cut",
        "lost-connection-mid-stall", "memory-pressure",
        "new-epoch-mid-stall", "pause-after-stall", "power-failure", "produce-refused",
        "queue-stall", "read-errors", "read-errors-in-turn", "rebalance-pulls-back", "roll-stall",
        "slow-disk-ramp", "slow-leader", "slow-replica", "step-down-disk", "step-down-neighbours",
        "step-down-queue", "step-down-shrunk-isr", "stuck-replica", "two-slow-leaders",
        "two-stalls", "write-neighbours", "write-stall",
    }
)  # fmt: skip
"""The scenarios that only `make test-all` runs; docs/extend/tests.md says what runs instead."""
_LAG_MS: Final = 2_000
"""The lag to which a scenario without a group is scaled down."""
_UNGROUPED: Final = Group(name="", scenarios=(), figures=FIGURES)


@dataclass(frozen=True)
class Row:
    """A scenario of a group on a version, and how it is run.

    Attributes:
        at_once: how many arms run at the same time.
        repeats: of each arm; None: as many as the scenario says.

    """

    kafka: str
    scenario: str
    group: str
    arms: tuple[str, ...]
    scale: float
    at_once: int
    repeats: int | None = None

    @property
    def name(self) -> str:
        return f"{self.kafka}/{self.scenario}"


Cells = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class RecordedScenarios:
    """The cells of recorded matrices by their folders, and the failures of whole arms.

    Of a row that was recorded again the later matrix counts.
    """

    matrices: Mapping[Path, Cells]
    wrong: Sequence[str]

    def cells(self, scenario: str, kafka: str = DEFAULT) -> dict[str, Mapping[str, Any]]:
        """Return the cells of a row by their arms."""
        return {
            cell["arm"]: cell
            for cells in self.matrices.values()
            for cell in cells
            if (cell["scenario"], cell["kafka"]) == (scenario, kafka)
        }

    def matrix(self, scenario: str, kafka: str = DEFAULT) -> Path:
        """Return the folder of the matrix that has a row."""
        found = [folder for folder in self.matrices if (folder / kafka / scenario).is_dir()]
        return found[-1]

    def run(self, scenario: str, kafka: str = DEFAULT) -> Path:
        """Return the run folder of a row."""
        return self.matrix(scenario, kafka) / kafka / scenario

    def unclear(self, row: Row) -> list[str]:
        """Return why arms of a row say nothing about the brokers."""
        cells = self.cells(row.scenario, row.kafka)
        unknown = [(arm, cell["unknown"]) for arm, cell in cells.items() if cell["unknown"]]
        again = [(arm, "the client sent records again") for arm in cells if resent(cells[arm])]
        return [f"{row.name} {arm}: {reason}" for arm, reason in (*unknown, *again)]


def short_rows() -> list[Row]:
    """Return the rows of `make test`: most scenarios once, on the arms that they are about.

    Control arms are left out where no other test needs them, and every repeat but the first. Each
    arm, and the oldest and the newest version, are there at least once.
    """
    rows = [row for row in all_rows() if _is_short(row)]
    found = [_short(row) for row in rows]
    for arm in {arm: None for row in rows for arm in row.arms if arm not in ONLY_ALL}:
        found = _with_arm(found, arm)
    return found


def all_rows() -> list[Row]:
    """Return every scenario on all arms that it names, for `make test-all`.

    Each on the default version, and on the first of which it expects more.
    """
    in_groups = {name: group for group in groups().values() for name in group.scenarios}
    names = [*in_groups, *(name for name in builtin_names() if name not in in_groups)]
    return [row for name in names for row in _rows(load(name), in_groups.get(name, _UNGROUPED))]


def _rows(scenario: Scenario, group: Group) -> Iterator[Row]:
    scale = group.scale_of(scenario.name)
    if group is _UNGROUPED:
        scale = _LAG_MS / scenario.broker.replica_lag_time_max_ms
    versions = [DEFAULT, *list(scenario.expect_on)[:1]]
    if scenario.name == "kip-501":
        versions.append(NEWEST)
    for kafka in versions:
        yield Row(kafka, scenario.name, group.name, scenario.arms, scale, group.at_once)


def _is_short(row: Row) -> bool:
    # A test of its own runs `kip-501` on the default version.
    versions = {"kip-501": (NEWEST,), "kafka-7104": (AFFECTED,)}
    return row.scenario not in LONG and row.kafka in versions.get(row.scenario, (DEFAULT,))


def _short(row: Row) -> Row:
    named = _ABOUT.get(row.scenario) or _ABOUT.get(row.group, ())
    about = tuple(arm for arm in row.arms if arm in named) or row.arms[-1:]
    return replace(row, arms=about, repeats=1)


def _with_arm(rows: list[Row], arm: str) -> list[Row]:
    """Add an arm that is in no fault to the scenario that expects most of it; the shortest such."""
    whole = {row: load(row.scenario, row.scale) for row in rows}
    faulty = {row: each for row, each in whole.items() if each.faults or each.race}
    if any(arm in row.arms for row in faulty):
        return rows
    chosen = max(
        (row for row, each in faulty.items() if arm in each.arms and arm in each.expect),
        key=lambda row: (len(whole[row].expect[arm]), -whole[row].faults_end_ms),
        default=None,
    )
    return [replace(row, arms=(*row.arms, arm)) if row is chosen else row for row in rows]


def record(
    rows: Sequence[Row], folder: Path, judge_matrices: Callable[..., Sequence[Cells]]
) -> RecordedScenarios:
    """Record and judge rows; record rows again, once, that say nothing about the brokers.

    Their verdict is unknown if the host was too busy, so that the second time two arms run at a
    time at most. Any other row that differs from what it expects is not recorded again.
    """
    first = _record(rows, folder / "first", judge_matrices)
    unclear = [row for row in rows if first.unclear(row)]
    if not unclear:
        return first
    reasons = [reason for row in unclear for reason in first.unclear(row)]
    warnings.warn(f"recorded again: {'; '.join(reasons)}", stacklevel=2)
    slower = [replace(row, at_once=TWO) for row in unclear]
    again = _record(slower, folder / "again", judge_matrices)
    return RecordedScenarios({**first.matrices, **again.matrices}, again.wrong)


def resent(cell: Mapping[str, Any]) -> bool:
    """Whether an idempotent client has duplicates that no broker made.

    After a long stall librdkafka may send records again under another epoch: docs/checker.md. Then
    no replica's log has a sequence number twice.
    """
    appended_twice = set(cell.get("repeated_sequences") or (None,))
    return appended_twice == {0} and any(cell.get("duplicated_idempotent") or ())


def _record(
    rows: Sequence[Row], folder: Path, judge_matrices: Callable[..., Sequence[Cells]]
) -> RecordedScenarios:
    """Record rows as one matrix, and as another those of which more than two arms run at a time."""
    few = [row for row in rows if row.at_once <= TWO]
    more = [row for row in rows if row.at_once > TWO]
    plans = [_plan(part, folder / name) for name, part in (("two", few), ("more", more)) if part]
    wrong = [failure for plan in plans for failure in record_matrix(plan, NoProgress())]
    folders = [plan.out for plan in plans]
    return RecordedScenarios(dict(zip(folders, judge_matrices(*folders), strict=True)), wrong)


def _plan(rows: Sequence[Row], out: Path) -> MatrixPlan:
    planned = [
        resolve(
            RunRequest(
                scenario=row.scenario, arms=row.arms, kafka=row.kafka, scale=row.scale,
                repeats=row.repeats, seed=SEED,
            ),
            out / row.name,
            NoProgress(),
        )
        for row in rows
    ]  # fmt: skip
    shown = tuple(
        MatrixRow(
            kafka=row.kafka, scenario=row.scenario, summary=run.scenario.summary, arms=row.arms,
            folder=row.name, skipped=run.skip,
        )
        for row, run in zip(rows, planned, strict=True)
    )  # fmt: skip
    return MatrixPlan(
        request=MatrixRequest(seed=SEED, out=out),
        out=out,
        info=MatrixInfo(repeats=None, rows=shown),
        runs=[run for run in planned if run.skip is None],
        at_once=min(row.at_once for row in rows),
    )
