"""`insync compare`: how two past results differ."""

from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import Json
from insync.engines import require_analysis

EXAMPLES: Final = """\b
Examples:
  insync compare ./monday ./tuesday
  insync compare ./on-4.3.1 ./on-4.4.0 --json
  insync compare ./matrix-before ./matrix-after
"""


def command(
    a: Annotated[Path, typer.Argument(metavar="A", help="Folder of a run or a matrix.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    json: Json = False,
) -> int:
    """Compare two results: set-up, verdicts, anomalies and figures of the arms that both have.

    Figures are B minus A, with the exact 95 % interval and the p-value of an exact test, adjusted
    over all figures, if there are enough repeats: 4 on each side, and more for many figures. The
    exit code is 0 if nothing differs beyond noise, 1 if a verdict, an anomaly or a figure does, 3
    if too few repeats could tell, 2 for bad input.
    """
    from insync.cli.output import results_console
    from insync.cli.results import show_checks
    from insync.past.compare import compare, read_side

    require_analysis("compare")
    found = compare(read_side(a), read_side(b))
    show_checks(results_console(as_json=json), found, "arm")
    if json:
        print(found.as_json(), end="")
    return found.outcome.verdict.exit_code
