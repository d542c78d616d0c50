"""Writes the finding of a matrix: how its arms compare over the scenarios."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from insync.arms import policy_rows
from insync.metrics import METRICS
from insync.report.headline.figures import Figures, expects_a_difference, subject
from insync.report.headline.sentence import NOTHING, written
from insync.report.matrix.cells import MatrixCell
from insync.report.policies.story import SITUATIONS, compares_policies, finding
from insync.report.words import listed

Row = Mapping[str, MatrixCell]
"""The cells of one scenario on one version, by arm."""


def matrix_finding(cells: Sequence[MatrixCell]) -> str:
    """Return the finding of a matrix.

    It is about the metric that most scenarios are about, of those scenarios that expect the arms
    to differ in it, if any does; every scenario counts once for an arm, with its worst repeat.
    """
    rows = [_figures(row) for row in _rows(cells)]
    if compares_policies(cells):
        return _of_policies(cells)
    about = [(row, metric) for row in rows if (metric := subject(row))]
    apart = [(row, metric) for row, metric in about if expects_a_difference(row, metric)]
    metrics = Counter(metric for _, metric in apart or about)
    if not metrics:
        return NOTHING
    ((metric, _),) = metrics.most_common(1)
    chosen = [row for row, of_row in apart or about if of_row == metric]
    values: dict[str, list[float | None]] = {}
    for row in chosen:
        for arm, found in row.of(metric).items():
            values.setdefault(arm, []).extend(found)
    return written(METRICS[metric], values, "scenarios")


def _rows(cells: Sequence[MatrixCell]) -> Iterator[Row]:
    ran = [cell for cell in cells if cell.state != "skipped"]
    for kafka, scenario in dict.fromkeys((cell.kafka, cell.scenario) for cell in ran):
        yield {cell.arm: cell for cell in ran if (cell.kafka, cell.scenario) == (kafka, scenario)}


def _figures(row: Row) -> Figures:
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


def _of_policies(cells: Sequence[MatrixCell]) -> str:
    """Say in how many situations each lag policy is right, the best policy first."""
    right: dict[str, list[bool]] = {}
    for arm, policy in policy_rows().items():
        own = {cell.scenario: cell for cell in cells if cell.arm == arm}
        found = [finding(each, own[each.scenario]) for each in SITUATIONS if each.scenario in own]
        known = [each.right for each in found if each.right is not None]
        if known:
            right[policy.name] = known
    counts: dict[tuple[int, int], list[str]] = {}
    for name, known in right.items():
        counts.setdefault((sum(known), len(known)), []).append(name)
    best = sorted(counts.items(), key=lambda each: -each[0][0] / each[0][1])
    if not best:
        return NOTHING
    ((hits, of), names), *others = best
    text = (
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} right in {hits} of {of} situations"
    )
    text += "".join(f", {listed(more)} in {hits} of {of}" for (hits, of), more in others)
    return text[0].upper() + text[1:]
