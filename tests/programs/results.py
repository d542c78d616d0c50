"""`make results`: run the commands of the pages of figures, and write their tables into the pages.

`PYTHONPATH=tests python -m programs.results OUT PAGE...` takes hours. Run again, it resumes what
was cut short. All results are of one commit, which OUT/commit names; another one needs a new OUT.

A page has a code block with one command, and below it `<!-- NAME: METRIC ... -->`, a table, and
`<!-- end -->`. The command runs into OUT/NAME. The table shows these metrics of its cells, or if
none is named its own tables; docs/results/NAME.json has the values of each repeat.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from commands import INSYNC
from insync.events.matrix_info import CELLS
from insync.events.schema import CAMPAIGN, VERDICT
from insync.events.verdict import Cell, read_cells
from insync.lists import grouped
from insync.outcome import Outcome
from insync.report.matrix.cells import brief, known_values, legend
from insync.result import Result, Table

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RAW = "results"
COMMIT = "commit"
TRACKER = "https://issues.apache.org/jira/browse/"
ISSUE = re.compile(r"KAFKA-\d+")
END = "<!-- end -->"
MARKED = re.compile(
    rf"^```\n(insync [^`]*?)```\n\n<!-- ([\w-]+):([ \w]*) -->\n(?P<old>.*?){END}$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Asked:
    """A command of a page: its arguments without --out, and the metrics that its table shows."""

    name: str
    arguments: Sequence[str]
    metrics: Sequence[str]


def asked(page: str) -> list[Asked]:
    """Return the marked commands of a page."""
    return [_asked(found) for found in MARKED.finditer(page)]


def _asked(found: re.Match[str]) -> Asked:
    words = shlex.split(found[1].replace("\\\n", " "), comments=True)
    place = words.index("--out") if "--out" in words else len(words)
    return Asked(found[2], [*words[1:place], *words[place + 2 :]], found[3].split())


def run(each: Asked, into: Path) -> int:
    """Run a command into a folder, or resume it there; return its exit code."""
    out = into / each.name
    resumed = ["--resume"] if (out / CAMPAIGN).is_file() else []
    if not resumed:
        shutil.rmtree(out, ignore_errors=True)
    print("insync", shlex.join(each.arguments), flush=True)
    asked_for = [INSYNC, *each.arguments, *resumed, "--out", out]
    return subprocess.run(asked_for, check=False).returncode


def main(into: Path, pages: Sequence[Path]) -> int:
    """Run all; return the worst exit code, or 2 if the folder is of another commit."""
    commit = commit_of(ROOT)
    into.mkdir(parents=True, exist_ok=True)
    mark = into / COMMIT
    if mark.exists() and mark.read_text(encoding="utf-8") != commit:
        print(f"{mark}: another commit than {commit.strip()}, expected a new folder")
        return 2
    mark.write_text(commit, encoding="utf-8")
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    worst = max(run(each, into) for text in texts.values() for each in asked(text))
    for page, text in texts.items():
        up = "../" * (len(page.relative_to(DOCS).parts) - 1)
        page.write_text(filled(text, into, DOCS / RAW, up + RAW), encoding="utf-8")
    return worst


def commit_of(tree: Path) -> str:
    """Return the commit of a working tree, and whether it was changed, other than its pages."""
    git = ["git", "-C", str(tree)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    changed = [*git, "diff", "--quiet", "HEAD", "--", ".", ":!docs"]
    mark = "-changed" if subprocess.run(changed, check=False).returncode else ""
    return f"{head.stdout.strip()}{mark}\n"


def filled(page: str, out: Path, raw: Path, link: str) -> str:
    """Return a page with a new table for each command that has a result in `out`.

    The values are written into the folder `raw`, to which the page links by `link`.
    """
    commit = (out / COMMIT).read_text(encoding="utf-8").strip()
    raw.mkdir(exist_ok=True)

    def fresh(found: re.Match[str]) -> str:
        each = _asked(found)
        folder = out / each.name
        if not ((folder / CELLS) if each.metrics else (folder / VERDICT)).is_file():
            return found[0]
        lines, values = of_cells(folder, each.metrics) if each.metrics else of_tables(folder)
        made = {"command": ["insync", *each.arguments], "commit": commit, "values": values}
        (raw / f"{each.name}.json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
        lines += ["", f"Commit {commit[:10]}, [values]({link}/{each.name}.json).", ""]
        return found[0].removesuffix(found["old"] + END) + "\n".join(lines) + END

    return MARKED.sub(fresh, page)


def of_cells(folder: Path, metrics: Sequence[str]) -> tuple[list[str], Any]:
    """Return a table of a matrix, scenarios by arms, and the values of all repeats."""
    cells = read_cells(folder)
    arms = list(dict.fromkeys(cell.arm for cell in cells))
    rows = grouped(cells, lambda cell: (cell.scenario, cell.kafka))
    versions = len({cell.kafka for cell in cells}) > 1
    repeats = max(cell.repeats for cell in cells)
    lines = [f"| scenario | {' | '.join(arms)} |", "|---" * (len(arms) + 1) + "|"]
    for (scenario, kafka), own in rows.items():
        shown = {cell.arm: " / ".join(_figure(cell, each) for each in metrics) for cell in own}
        title = f"`{scenario}`, {kafka}" if versions else f"`{scenario}`"
        lines.append(f"| {title} | {' | '.join(shown.get(arm, '') for arm in arms)} |")
    what = f"the median of {repeats} repeats, and the worst" if repeats > 1 else "one repeat"
    values = [
        {"scenario": cell.scenario, "kafka": cell.kafka, "arm": cell.arm, "outcome": cell.outcome}
        | {metric: list(cell.values(metric)) for metric in metrics}
        for cell in cells
    ]
    return [*lines, "", f"{legend(metrics)}: {what}."], values


def _figure(cell: Cell, metric: str) -> str:
    found = known_values(cell, metric)
    if cell.outcome == Outcome.SKIPPED or not found:
        return "-"
    worst = "" if cell.once else f" ({brief(metric, found[0])})"
    return f"{brief(metric, median(found))}{worst}"


def of_tables(folder: Path) -> tuple[list[str], Any]:
    """Return the tables of a campaign's result, as Markdown and as values."""
    tables = Result.read(folder / VERDICT, "a result").tables
    return markdown(tables), [table.model_dump(mode="json") for table in tables]


def markdown(tables: Sequence[Table]) -> list[str]:
    lines = []
    for table in tables:
        lines += ["", f"| {' | '.join(table.columns)} |", "|---" * len(table.columns) + "|"]
        lines += [f"| {' | '.join((linked(name), *row))} |" for name, *row in table.rows]
    return lines[1:]


def linked(name: str) -> str:
    """Return a name, with its page if it is an issue of Kafka's."""
    return f"[{name}]({TRACKER}{name})" if ISSUE.fullmatch(name) else name


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(each).resolve() for each in sys.argv[2:]]))
