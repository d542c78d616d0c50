"""`insync scenarios`: list the built-in scenarios, one line each."""

from typing import Final

from insync.cli.options import Json
from insync.cli.output import print_json

EXAMPLES: Final = """\b
Examples:
  insync scenarios
  insync scenarios --json
"""


def command(json: Json = False) -> int:
    """List the built-in scenarios."""
    from insync.scenario.load import builtin_names, load

    known = [load(name) for name in builtin_names()]
    if json:
        print_json([scenario.as_dict() for scenario in known])
        return 0
    width = max(len(scenario.name) for scenario in known)
    for scenario in known:
        print(f"{scenario.name:<{width}}  {scenario.summary}")
    return 0
