"""`insync scenarios`: list the built-in scenarios, one line each."""

import json as jsonlib
from typing import Final

from insync.cli.options import Json

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
        print(jsonlib.dumps([scenario.as_dict() for scenario in known], indent=2))
        return 0
    width = max(len(scenario.name) for scenario in known)
    for scenario in known:
        print(f"{scenario.name:<{width}}  {scenario.summary}")
    return 0
