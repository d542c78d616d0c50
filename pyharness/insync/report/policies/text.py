"""Makes the table that compares lag policies: false alarms, times until a follower was out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from insync.arms import policy_rows
from insync.report.matrix.cells import Bursts, Grid, MatrixCell
from insync.report.policies.story import SITUATIONS, compares_policies, finding, per_thousand
from insync.report.tabular import NONE, Table, table

_BURSTS = ("burst-steady", "burst")
_NOT_RUN = "-"


def policy_table(grid: Grid) -> Table:
    """Return a row per policy of a version; a dash means that it was not run."""
    sizes = sorted({each.records for cell in _cells(grid, _BURSTS) for each in cell.bursts})
    others = [
        each for each in SITUATIONS if each.scenario in grid.rows and each.scenario not in _BURSTS
    ]
    columns = [
        "policy",
        *(f"false alarms per 1,000 bursts of {size}" for size in sizes),
        *(each.title for each in others),
        "under min ISR in total, s",
    ]
    rows = []
    for arm, policy in policy_rows().items():
        if arm not in grid.arms:
            continue
        own = {scenario: row[arm] for scenario, row in grid.rows.items() if arm in row}
        found = [cell for scenario, cell in own.items() if scenario in _BURSTS]
        rows.append(
            [
                policy.name,
                *(_alarms(found, size) for size in sizes),
                *(
                    finding(each, own[each.scenario]).words if each.scenario in own else _NOT_RUN
                    for each in others
                ),
                _under(list(own.values())),
            ]
        )
    text = {0, *range(1 + len(sizes), 1 + len(sizes) + len(others))}
    return table("Lag policies", " | ".join(columns), rows, NONE, text)


def policy_markdown(grid: Grid) -> str:
    """Return the same as Markdown; empty if no policies are compared."""
    if not compares_policies(list(_cells(grid, grid.rows))):
        return ""
    found = policy_table(grid)
    lines = [
        f"| {' | '.join(found.columns)} |",
        f"|{'---|' * len(found.columns)}",
        *(f"| {' | '.join(row)} |" for row in found.rows),
    ]
    return "\n".join([*lines, "", ""])


def _cells(grid: Grid, scenarios: Iterable[str]) -> Iterator[MatrixCell]:
    for scenario in scenarios:
        yield from grid.rows.get(scenario, {}).values()


def _alarms(cells: Sequence[MatrixCell], records: int) -> str:
    same: list[Bursts] = [each for cell in cells for each in cell.bursts if each.records == records]
    if not same:
        return _NOT_RUN
    count, alarms = sum(each.bursts for each in same), sum(each.false_alarms for each in same)
    return f"{per_thousand(same):.1f} ({alarms} in {count:,})"


def _under(cells: Sequence[MatrixCell]) -> str:
    known = [
        value for cell in cells for value in cell.values("under_min_isr_ms") if value is not None
    ]
    return f"{sum(known) / 1_000:.1f}"
