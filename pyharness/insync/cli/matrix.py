"""`insync matrix`: run many scenarios on many arms, and show the results as one table."""

from typing import Annotated, Final

from insync.cli.options import Json, require
from insync.engine.campaign import Options
from insync.matrix.groups import MatrixRequest

EXAMPLES: Final = """\b
Examples:
  insync matrix
  insync matrix --kafka 4.3.1,3.9.2 --out ./out
  insync matrix --client java
  insync matrix --cluster docker --only freeze
  insync matrix --only read-stall,send-stall --arms stock,request --repeat 10
  insync matrix --only step-down --kafka 4.3.1,3.9.2
  insync matrix --only freeze --json > matrix.json
  insync matrix --out ./out --resume    # run what an interrupted matrix lacks
  insync matrix --shard 1/3 --out ./out-1
"""


def command(
    request: MatrixRequest,
    options: Annotated[Options, "out", "resume", "shard", "analysis"],
    json: Json = False,
) -> int:
    """Run many scenarios on many arms; compare them in one table.

    By default the leader is stalled at every place where it can stall. One cluster per arm runs
    all scenarios one after the other. Prints one table of scenarios by arms and writes it as a
    page: ISR shrinks, time under min ISR, longest gap between acks. The group step-down also has
    time offline, time until a dead follower left the ISR, and leader changes. A mark shows each
    cell that differs from what the scenario expects of its arm. Each scenario has its own run
    folder, OUT/KAFKA/SCENARIO.
    """
    require("matrix", options.analysis, "`insync run --record-only` for each scenario")
    from insync.cli.results import run_campaign, show_matrix
    from insync.matrix.campaign import Matrix

    return run_campaign(
        Matrix(request), options, lambda _, folder: show_matrix(folder, as_json=json)
    )
