"""`insync bugs`: play bugs of Kafka's past on the affected and on the fixed release."""

from typing import Annotated, Final

import typer

from insync.cli.options import Json, require
from insync.engine.campaign import Options

EXAMPLES: Final = """\b
Examples:
  insync bugs --list
  insync bugs KAFKA-15583
  insync bugs --repeat 3 --out ./bugs
  insync bugs --repeat 3 --out ./bugs --resume
  insync bugs --shard 1/3 --json
"""


def command(
    options: Options,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Bugs. Default: all.")
    ] = None,
    list_: Annotated[bool, "--list", "Only list the bugs, and why others are not played."] = False,
    repeat: Annotated[int, "How often each bug is played."] = 1,
    side_by_side: Annotated[int, "Releases to run at the same time, each on its own cluster."] = 2,
    json: Json = False,
) -> int:
    """Play bugs of Kafka's past on stock brokers: on an affected release and on the fixed one.

    A bug holds if it is found in every repeat on the affected release and in none on the fixed one.
    A repeat is void if a fault did not act or a cluster did not start.
    """
    from insync.bugs.campaign import Bugs, tables_of
    from insync.bugs.corpus import chosen, tried
    from insync.cli.output import print_json, results_console
    from insync.cli.results import drawn, show_campaign

    if list_:
        bugs = chosen(ids or ())
        if json:
            found = [each.model_dump(mode="json", exclude={"scenario"}) for each in bugs]
            print_json({"bugs": found, "tried": tried()})
        else:
            console = results_console(as_json=False)
            for table in tables_of(bugs, {}):
                console.print(drawn(table))
        return 0
    require("bugs", options.analysis)
    return show_campaign(Bugs(ids or (), repeat, side_by_side), options, as_json=json)
