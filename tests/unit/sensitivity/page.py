"""`PYTHONPATH=tests python -m unit.sensitivity.page` prints tables of docs/extend/sensitivity.md.

The tests' own tables are the source: what breaks each expectation, and what catches each mutant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from insync import metrics
from insync.analysis.checks.registry import ANOMALIES
from mutants import BROKEN, BY_JAVA, CAUGHT
from unit.sensitivity import histories, races
from unit.sensitivity.expectations import Expectation, forms

HEAD: Final = "<!-- generated: begin -->"
FOOT: Final = "<!-- generated: end -->"
_WAYS: Final = {**histories.MADE, **races.MADE}


def tables() -> str:
    """Return the generated part of the page."""
    every = [each for form in forms() for each in form.expectations()]
    parts = ("## Mutants", *_mutants(), "## Expectations", *_expectations(every))
    return "\n".join((*parts, "## Integrity", *_integrity()))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield ""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(row)} |"
    yield ""


def _mutants() -> Iterator[str]:
    rows = []
    for name, words in BROKEN.items():
        caught = [
            f"`{row.scenario}`: `{row.arm}` `{row.metric}`" for row in CAUGHT if row.mutant == name
        ]
        rows.append([f"`{name}`", words, "<br>".join(caught) or "-", f"`{BY_JAVA[name]}`"])
    yield from _table(["mutant", "what is wrong", "fails in a scenario", "fails in Java"], rows)


def _expectations(every: Sequence[Expectation]) -> Iterator[str]:
    bounds: dict[str, dict[str, float]] = defaultdict(dict)
    scenarios: dict[str, set[str]] = defaultdict(set)
    for each in every:
        bounds[each.metric][each.words] = each.holds
        scenarios[each.metric].add(each.scenario)
    rows = []
    for metric in metrics.METRICS:
        if metric in bounds:
            mutants = sorted({f"`{row.mutant}`" for row in CAUGHT if row.metric == metric})
            words = "; ".join(sorted(bounds[metric], key=bounds[metric].__getitem__))
            used = ", ".join(f"`{name}`" for name in sorted(scenarios[metric]))
            rows.append([
                f"`{metric}`", _WAYS[metric].words, words, used, ", ".join(mutants) or "-",
            ])  # fmt: skip
    head = ["metric", "its history", "what is expected", "in", "mutants that break it"]
    yield from _table(head, rows)


def _integrity() -> Iterator[str]:
    rows = [
        [f"`{name}`", ", ".join(f"`{each.name}`" for each in ANOMALIES if each.metric == name)]
        for name in metrics.integrity()
    ]
    yield from _table(["metric", "anomalies that are planted"], rows)


if __name__ == "__main__":
    print(tables())
