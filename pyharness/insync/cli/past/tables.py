"""`insync tables`: compute the tables of one or thousands of runs, as Parquet in one place."""

import sys
from dataclasses import asdict
from typing import Annotated, Final

import typer

from insync.cli.options import UNKNOWN, Json, require
from insync.cli.output import print_json
from insync.engines import AnalysisOptions

EXAMPLES: Final = """\b
Examples:
  insync tables ./out
  insync tables ./insync-runs --into ./all
  insync tables ./monday ./tuesday --into ./both --json
  insync tables s3a://bucket/runs --into s3a://bucket/tables --spark-master spark://host:7077
"""
SHOWN: Final = 20


def command(
    dirs: Annotated[
        list[str],
        typer.Argument(
            metavar="DIR...",
            help="Run folders, or folders up to three levels above them; any Hadoop path.",
        ),
    ],
    analysis: AnalysisOptions,
    into: Annotated[
        str | None, "Output folder; any Hadoop path. Default, for a single DIR: DIR/tables."
    ] = None,
    json: Json = False,
) -> int:
    """Compute bronze, silver and gold tables of any number of runs.

    All tables are checked against their contracts. A previous output is replaced only after
    everything has succeeded, and is kept if no run has changed and none is new. The exit code is
    3 if a folder or a line could not be used or a run was cut short; each one is listed.
    """
    require("tables", analysis)
    from insync.analysis.tables.batch import compute
    from insync.cli.output import TerminalProgress
    from insync.signals import interruptible

    with interruptible(), TerminalProgress() as progress:
        progress.phase("computing tables")
        found = compute(dirs, into, analysis, progress.phase)
    problems = [*found.problems, *found.files]
    for problem in problems[:SHOWN]:
        print(f"insync: {problem}", file=sys.stderr)
    if len(problems) > SHOWN:
        print(f"insync: and {len(problems) - SHOWN} more, see the table inputs", file=sys.stderr)
    runs = "1 run" if found.runs == 1 else f"{found.runs} runs"
    computed = "" if found.computed else ", computed before"
    out = sys.stderr if json else sys.stdout
    print(f"tables of {runs}{computed}, {found.lines} lines: {found.into}", file=out)
    if json:
        print_json(asdict(found))
    return UNKNOWN if problems else 0
