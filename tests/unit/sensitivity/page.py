"""`PYTHONPATH=tests python -m unit.sensitivity.page` prints what catches a wrong agent.

The tests' own tables are the source: what breaks each expectation, and what catches each mutant.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from insync import metrics
from insync.analysis.checks.registry import ANOMALIES
from mutants import BROKEN, BY_JAVA, BY_MODEL, CAUGHT, ONLY_BY_JAVA
from unit.sensitivity import histories, races
from unit.sensitivity.expectations import Expectation, forms

_WAYS: Final = {**histories.MADE, **races.MADE}


def tables() -> str:
    """Return all tables as Markdown."""
    every = [each for form in forms() for each in form.expectations()]
    expectations = ("## Expectations", *_expectations(every), "## Integrity", *_integrity())
    return "\n".join(("## Mutants", *_mutants(), *expectations))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield ""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(row)} |"
    yield ""


def _mutants() -> Iterator[str]:
    rows = []
    for name, words in BROKEN.items():
        scenarios = [
            f"`{row.scenario}`: `{row.arm}` `{row.metric}`" for row in CAUGHT if row.mutant == name
        ]
        scopes = [f"`{scope}`" for mutant, scope in BY_MODEL if mutant == name]
        elsewhere = "<br>".join(scenarios) or ONLY_BY_JAVA.get(name, "-")
        rows.append([
            f"`{name}`", words, elsewhere, ", ".join(scopes) or "-", f"`{BY_JAVA[name]}`",
        ])  # fmt: skip
    head = ["mutant", "what is wrong", "fails in a scenario", "in the differential model"]
    yield from _table([*head, "fails in Java"], rows)


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
