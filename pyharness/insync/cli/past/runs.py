"""`insync runs`: list the past runs and matrices below a folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from insync.cli.options import Json

if TYPE_CHECKING:
    from insync.past.results import Past

EXAMPLES: Final = """\b
Examples:
  insync runs
  insync runs ./monday --json
"""


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Folder with runs and matrices.")
    ] = Path("insync-runs"),
    json: Json = False,
) -> int:
    """List the past runs and matrices below a folder, newest first.

    It looks up to three levels down. A folder that cannot be read, a run that was cut short, and
    one that a newer version wrote are rows with the reason. The exit code is 0, whatever the
    verdicts are.
    """
    from insync.cli.output import print_json, results_console, text_table
    from insync.past import results

    rows = results.past_results(results.find_results(folder))
    console = results_console(as_json=json)
    if json:
        print_json([row.as_json() for row in rows])
    else:
        if rows:
            columns = "verdict | result | Kafka | arms | repeats | began | took"
            console.print(text_table(columns, map(_cells, rows), words=range(7)))
        console.print(f"{len(rows)} results in {folder}", soft_wrap=True)
    return 0


def _cells(row: "Past") -> list[str]:
    """Return the facts of a result, and below its name why it is so, and where it is."""
    from rich.markup import escape

    below = f"[dim]{escape(row.reason)}\n{escape(str(row.folder))}[/]"
    mark = f"[{row.verdict.colour}]{row.verdict.mark}[/]" if row.verdict else "no verdict"
    return [mark, f"{escape(row.name)}\n{below}", *map(escape, row.facts)]
