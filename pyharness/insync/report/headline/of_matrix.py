"""Writes the finding of a matrix: how its arms compare over the scenarios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from insync.metrics import METRICS
from insync.report.headline.figures import Figures, expects_a_difference, subject
from insync.report.headline.sentence import NOTHING, clause, sentence
from insync.report.matrix.cells import MatrixCell

Key = tuple[str, str]
"""A Kafka version and a scenario."""


def matrix_finding(cells: Sequence[MatrixCell]) -> str:
    """Return the finding of a matrix.

    It is about a violated integrity, if there is one. Otherwise it is about the metric that most
    scenarios are about, of those scenarios that expect the arms to differ in it, if any does.
    Every scenario counts once for an arm, with its worst repeat.
    """
    rows = {key: _figures(row) for key, row in _rows(cells).items()}
    about = {key: metric for key, row in rows.items() if (metric := subject(row))}
    violated = next((metric for metric in about.values() if METRICS[metric].integrity), None)
    if violated:
        return sentence(_over(rows, [key for key in about if rows[key].of(violated)], violated))
    apart = {
        key: metric for key, metric in about.items() if expects_a_difference(rows[key], metric)
    }
    metrics = Counter((apart or about).values())
    if not metrics:
        return NOTHING
    ((metric, _),) = metrics.most_common(1)
    chosen = [key for key, of_row in (apart or about).items() if of_row == metric]
    return sentence(_where(chosen, about, apart=bool(apart)) + _over(rows, chosen, metric))


def _over(rows: Mapping[Key, Figures], chosen: Sequence[Key], metric: str) -> str:
    """Say how the arms compare in one metric over some scenarios."""
    values: dict[str, list[float | None]] = {}
    for key in chosen:
        for arm, found in rows[key].of(metric).items():
            values.setdefault(arm, []).extend(found)
    return clause(METRICS[metric], values, "scenarios")


def _where(chosen: Sequence[Key], about: Mapping[Key, str], *, apart: bool) -> str:
    """Say of which scenarios the finding is, unless it is of all that have figures."""
    if len(chosen) == len(about):
        return ""
    if len(chosen) == 1:
        return f"in {chosen[0][1]}, "
    return "where the arms should differ, " if apart else "in most scenarios, "


def expected_alike(cells: Sequence[MatrixCell]) -> list[str]:
    """Return the scenarios that expect the same of all arms, such as to drop a dead follower."""
    rows = {key: _figures(row) for key, row in _rows(cells).items()}
    alike = [
        scenario
        for (_, scenario), row in rows.items()
        if (metric := subject(row)) and len(row.arms) > 1 and not expects_a_difference(row, metric)
    ]
    return list(dict.fromkeys(alike))


def _rows(cells: Sequence[MatrixCell]) -> dict[Key, dict[str, MatrixCell]]:
    """Return the cells of each scenario and version that ran, by arm."""
    rows: dict[Key, dict[str, MatrixCell]] = {}
    for cell in cells:
        if cell.state != "skipped":
            rows.setdefault((cell.kafka, cell.scenario), {})[cell.arm] = cell
    return rows


def _figures(row: Mapping[str, MatrixCell]) -> Figures:
    """Return the figures of a row, each with the worst value of its repeats alone."""
    return Figures(
        arms=list(row),
        expected={arm: cell.expected for arm, cell in row.items()},
        values={
            arm: {metric: [cell.figure(metric).worst] for metric in cell.metrics}
            for arm, cell in row.items()
            if cell.repeats
        },
    )
