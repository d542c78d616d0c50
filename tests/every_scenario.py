"""Plans and records the built-in scenarios: those of `SHORT`, or all of them.

`make test-all` discovers them: it runs a new file in `scenario/builtin` without any change here.
"""

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from event_lines import until_steady_ms, waited_at_first_fault_ms
from insync.brokers.kafka.versions import DEFAULT, known
from insync.engine import scenarios
from insync.engine.scenarios import plans_of, save_rows
from insync.events.run_info import load_run
from insync.matrix.groups import UNGROUPED, entries
from insync.progress import Progress
from insync.run.plan import Plan, resolve_cells
from insync.run.request import RunRequest
from insync.scenario.groups import ScenarioGroup, groups
from insync.scenario.load import builtin_names, load
from insync.scenario.model import Scenario

NEWEST: Final = max(known(), key=lambda version: [int(part) for part in version.split(".")])
AFFECTED: Final = "1.1.0"
"""A version with the bug of KAFKA-7104; on newer ones its scenario shows that it is gone."""
SEED: Final = 5
TWO: Final = 2

SHORT: Final[Sequence[tuple[str, str, Sequence[str]]]] = (
    (DEFAULT, "step-down-read", ("step-down",)),
    (DEFAULT, "transactions", ("step-down",)),
    (DEFAULT, "relinquish-on-stock-controller", ("step-down",)),
    (DEFAULT, "send-stall", ("request",)),
    (DEFAULT, "read-stall", ("stock", "off", "request")),
    (DEFAULT, "slow-follower", ("request",)),
    (NEWEST, "kip-501", ("request",)),
    (AFFECTED, "kafka-7104", ("both",)),
    (DEFAULT, "log-start-race", ("both",)),
    (DEFAULT, "switched-on", ("off",)),
)
"""What `make test` records: versions, scenarios and arms.

The two arms that take longest are first, so that the others run beside them.
tests/data/long-tests.toml says what `make test` runs instead of the other scenarios and arms.
"""
_LIMIT_MS: Final = 1_000
"""No scenario without a group is scaled to a shorter T: on a busy machine healthy leaders are
slower than half a second, and would step down, too."""
_LAG_MS: Final = 2_000
"""The lag to which a scenario without a group is scaled down."""


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
        return self.matrix(scenario, kafka) / kafka / scenario

    def unclear(self, row: Row) -> list[str]:
        """Return why arms of a row say nothing about the brokers."""
        cells = self.cells(row.scenario, row.kafka)
        unknown = [
            (arm, cell["reason"]) for arm, cell in cells.items() if cell["outcome"] == "unknown"
        ]
        again = [(arm, "the client sent records again") for arm in cells if resent(cells[arm])]
        late = [
            (arm, reason)
            for arm, cell in cells.items()
            if cell["outcome"] == "fail"
            for reason in late_without_a_fault(self.run(row.scenario, row.kafka), arm)
        ]
        reasons = (*unknown, *again, *late)
        return [f"{row.name} {arm}: {reason}" for arm, reason in reasons]


def short_rows() -> list[Row]:
    """Return the rows of `make test`, with one repeat each, all in one matrix."""
    rows = {(row.kafka, row.scenario): row for row in all_rows()}
    chosen = [(rows[kafka, scenario], tuple(arms)) for kafka, scenario, arms in SHORT]
    return [replace(row, arms=arms, repeats=1, at_once=TWO) for row, arms in chosen]


def all_rows() -> list[Row]:
    """Return every scenario on all arms that it names.

    Each on the default version, and on the first of which it expects more.
    """
    return _rows_of([*groups(), *builtin_names()])


def long_rows() -> list[Row]:
    """Return the rows that `make test-all` records: all, or those that INSYNC_ONLY names.

    It has scenarios and groups, as `insync matrix --only` has; it is for who changes one of them.
    """
    only = os.environ.get("INSYNC_ONLY")
    return all_rows() if only is None else _rows_of(only.split(","))


def _rows_of(only: Sequence[str]) -> list[Row]:
    return [row for each in entries(only) for row in _rows(load(each.scenario), each.group)]


def _rows(scenario: Scenario, group: ScenarioGroup) -> Iterator[Row]:
    scale = _scale_of(scenario) if group is UNGROUPED else group.scale_of(scenario.name)
    versions = [DEFAULT, *list(scenario.expect_on)[:1]]
    if scenario.name == "kip-501":
        versions.append(NEWEST)
    for kafka in versions:
        yield Row(kafka, scenario.name, group.name, scenario.arms, scale, group.at_once)


def _scale_of(scenario: Scenario) -> float:
    """Return what the times of a scenario without a group are multiplied by."""
    scale = _LAG_MS / scenario.broker.replica_lag_time_max_ms
    limit_ms = scenario.broker.leader_fetch_process_time_max_ms
    return max(scale, min(1.0, _LIMIT_MS / limit_ms)) if limit_ms else scale


def record(
    rows: Sequence[Row], folder: Path, judge_matrices: Callable[..., Sequence[Cells]]
) -> RecordedScenarios:
    """Record and judge rows; record rows again, once, that say nothing about the brokers.

    If the host was too busy their verdict is unknown, or they differ from what they expect and acks
    were late before the first fault, so that the second time two arms run at a time at most. Any
    other row that differs from what it expects is not recorded again.
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

    After a long stall librdkafka may send records again under another epoch:
    docs/understand/checker.md. Then no replica's log has a sequence number twice.
    """
    appended_twice = set(cell.get("repeated_sequences") or (None,))
    return appended_twice == {0} and any(cell.get("duplicated_idempotent") or ())


def late_without_a_fault(run: Path, arm: str) -> Iterator[str]:
    """Yield why the acks of an arm were late before any fault began, as in a busy host's verdict.

    A record had waited for half of the lag limit when the first fault began, so not because of the
    fault. Or no acks were on time for the whole limit: the machine was too busy for its load.
    """
    lag_ms = load_run(run).scenario.broker.replica_lag_time_max_ms
    if (waited_ms := waited_at_first_fault_ms(run, arm)) > lag_ms / 2:
        yield f"a record waited for {waited_ms:.0f} ms when the first fault began"
    if (needed_ms := until_steady_ms(run, arm)) > lag_ms:
        yield f"without a fault acks were on time only after {needed_ms:.0f} ms"


def _record(
    rows: Sequence[Row], folder: Path, judge_matrices: Callable[..., Sequence[Cells]]
) -> RecordedScenarios:
    """Record rows as one matrix, and as another those of which more than two arms run at a time."""
    few = [row for row in rows if row.at_once <= TWO]
    more = [row for row in rows if row.at_once > TWO]
    plans = [_plan(part, folder / name) for name, part in (("two", few), ("more", more)) if part]
    wrong = list[str]()
    for out, runs, at_once in plans:
        wrong += scenarios.record({out: runs}, Progress(), at_once)
    folders = [out for out, *_ in plans]
    return RecordedScenarios(dict(zip(folders, judge_matrices(*folders), strict=True)), wrong)


def _plan(rows: Sequence[Row], out: Path) -> tuple[Path, list[Plan], int]:
    cells = [
        cell
        for row in rows
        for cell in resolve_cells(
            RunRequest(
                scenario=row.scenario, arms=row.arms, kafka=row.kafka, scale=row.scale,
                repeats=row.repeats, seed=SEED,
            ),
            Path(row.name),
        )
    ]  # fmt: skip
    runs = plans_of(cells, out, Progress())
    save_rows(out, runs)
    return out, runs, min(row.at_once for row in rows)
