"""`insync state`: show the replicas as their leaders see them, live over the bridge."""

import json as jsonlib
from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import Json

EXAMPLES: Final = """\b
Examples:
  insync state ./out --watch
  insync state ./out --topic kip-501-r0 --json
  insync state /run/kafka/bridge-1.json
  insync state ./bridges --watch
"""


def command(
    where: Annotated[
        Path,
        typer.Argument(
            metavar="RUN|DIR|CONNECTION-FILE",
            help="Folder of a run in progress or of connection files, or one connection file.",
        ),
    ],
    topic: Annotated[str, typer.Option(help="Show only this topic.")] = "",
    watch: Annotated[bool, typer.Option("--watch", help="Refresh until Ctrl-C.")] = False,
    json: Json = False,
) -> int:
    """Show every replica as its leader sees it.

    The table has each replica's lag, when it last caught up, and its pending fetches.
    """
    from insync.cli.replicas import read, show, watch_live
    from insync.errors import InputError

    if watch and json:
        raise InputError("--watch and --json: expected one of them")
    if watch:
        watch_live(where, topic)
    elif json:
        print(jsonlib.dumps(read(where, topic), indent=2))
    else:
        show(where, topic)
    return 0
