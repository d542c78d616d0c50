"""Shows a result, a tree of checks, as one page; its parts also make the view on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from markupsafe import Markup

from insync.events.schema import JUNIT, REPORT, VERDICT
from insync.events.writer import write_atomic
from insync.outcome import Outcome, worst
from insync.report.junit import as_xml
from insync.report.render import asset, environment, smallest_enough
from insync.result import Result, Table

SHARES = (1.0, 0.5, 0.1, 0.0)
"""How many of the checks that passed a page has; the first page that is small enough is taken."""
COUNTED = {
    Outcome.PASS: "passed",
    Outcome.FAIL: "failed",
    Outcome.UNKNOWN: "unknown",
    Outcome.OBSERVED: "observed",
    Outcome.SKIPPED: "skipped",
}
"""The columns with numbers of checks; skipped ones only if there are any."""

Check = tuple[tuple[str, ...], Result]
"""A check, and what it and its parents are about."""


class Words:
    """How a page calls what it shows; `part` is a child of the result.

    `notes` are sentences that explain how to read the page.
    """

    name: ClassVar[str]
    says: ClassVar[str]
    part: ClassVar[str]
    notes: ClassVar[Sequence[str]] = ()


def write_result(folder: Path, result: Result, words: Words, extra: Markup | None = None) -> Path:
    """Write `verdict.json`, `junit.xml` and `report.html`; return the page's path.

    `extra` is put above the checks, such as pictures.
    """
    write_atomic(folder / VERDICT, result.as_json())
    write_atomic(folder / JUNIT, as_xml(f"insync {words.name}", result.children))
    return write_atomic(folder / REPORT, render_result(result, words, extra))


def render_result(result: Result, words: Words, extra: Markup | None = None) -> str:
    """Return the page as text; if it is too large, it has fewer of the checks that passed."""
    template = environment().get_template("result.html.j2")
    return smallest_enough(
        template.render(
            result=result,
            words=words,
            extra=extra,
            file=VERDICT,
            verdict=result.outcome.verdict,
            headline=headline(result),
            overview=overview(result, words.part),
            shared=shared(result, words.part),
            problems=problems(result),
            parts=[_part(each, share) for each in result.children],
            style=asset("page.css") + asset("result.css"),
        )
        for share in SHARES
    )


def headline(result: Result) -> str:
    """Return what was judged and how many checks failed, without a full stop."""
    counts = {outcome: result.count(outcome) for outcome in Outcome}
    failed, unknown = counts[Outcome.FAIL], counts[Outcome.UNKNOWN]
    judged = failed + unknown + counts[Outcome.PASS]
    if not judged:
        return f"{result.of}: nothing was judged, {sum(counts.values())} facts"
    checks = f"{judged} check{'s' if judged != 1 else ''}"
    found = f"{failed} of {checks} failed" if failed else f"{checks}, none failed"
    return f"{result.of}: {found}{f', {unknown} unknown' if unknown else ''}"


def overview(result: Result, part: str) -> Table:
    """Return a row per child: its outcome, its checks by outcome, its time, and why."""
    counted = [each for each in COUNTED if each != Outcome.SKIPPED or result.count(each)]
    timed = any(each.seconds for each in result.children)
    columns = [part, "outcome", *(COUNTED[each] for each in counted), *(["time"] if timed else [])]
    return Table(
        title=f"{part.capitalize()}s",
        columns=[*columns, "why"],
        numeric=range(2, len(columns)),
        rows=[
            [
                each.of,
                each.outcome.mark.replace(" ", "\u00a0"),
                *(str(each.count(outcome)) for outcome in counted),
                *([minutes(each.seconds)] if timed else []),
                each.reason,
            ]
            for each in result.children
        ],
        empty="Nothing was judged.",
    )


def shared(result: Result, part: str) -> Table:
    """Return a row per expectation that several things share: how often it holds."""
    found: dict[tuple[str, str], list[Outcome]] = {}
    for child in result.children:
        for _, check in child.checks():
            found.setdefault((child.of, check.expected), []).append(check.outcome)
    return Table(
        title="Checks",
        columns=[part, "check", "passed", "outcome"],
        numeric=[2],
        rows=[
            [of, check, f"{own.count(Outcome.PASS)} of {len(own)}", worst(own).mark]
            for (of, check), own in found.items()
            if len(own) > 1
        ],
        empty="No check is made of several things.",
    )


def problems(result: Result) -> list[Check]:
    """Return the checks that failed or are unknown, failures first."""
    found = [each for each in result.checks() if each[1].outcome.is_problem]
    return sorted(found, key=lambda each: each[1].outcome != Outcome.FAIL)


def minutes(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


def _part(child: Result, share: float) -> Mapping[str, object]:
    """Return what the page shows of a child: all problems, and a share of what passed."""
    checks = list(child.checks())
    passed = [check for check in checks if check[1].outcome == Outcome.PASS]
    left_out = {id(check) for check in passed[round(len(passed) * share) :]}
    rows = [check for check in checks if id(check) not in left_out]
    return {
        "child": child,
        "rows": rows,
        "left_out": len(left_out),
        "compared": any(check.baseline for _, check in rows),
    }
