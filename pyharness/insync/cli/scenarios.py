"""`insync scenarios [NAME]`: list the built-in scenarios, or print one."""

from typing import Annotated, Final

import typer

from insync.cli.options import Json
from insync.cli.output import print_json

EXAMPLES: Final = """\b
Examples:
  insync scenarios
  insync scenarios --json
  insync scenarios kip-501 > my-own.toml
"""


Name = Annotated[str | None, typer.Argument(metavar="[NAME]", help="Print this one's file.")]


def command(name: Name = None, json: Json = False) -> int:
    """List the built-in scenarios, or print the TOML file of one."""
    from insync.scenario.load import builtin_names, load, source

    if name is not None:
        print_json(load(name).as_dict()) if json else print(source(name), end="")
        return 0
    known = [load(each) for each in builtin_names()]
    if json:
        print_json([scenario.as_dict() for scenario in known])
        return 0
    width = max(len(scenario.name) for scenario in known)
    for scenario in known:
        print(f"{scenario.name:<{width}}  {scenario.summary}")
    return 0
