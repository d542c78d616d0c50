"""`insync overhead`: measure what the agent costs on real brokers, beside stock Kafka."""

from typing import Annotated, Final

from insync.cli.options import Json
from insync.engine.campaign import Options
from insync.engines import require_analysis
from insync.overhead.request import OverheadRequest

EXAMPLES: Final = """\b
Examples:
  insync overhead --rounds 6 --out ./overhead
  insync overhead --arms stock,request --rounds 1 --records 5000 --json
  insync overhead --arms stock,step-down --rounds 1 --records 0 --idle 3000
"""


def command(
    request: OverheadRequest, options: Annotated[Options, "out", "resume"], json: Json = False
) -> int:
    """Measure what arms cost on three brokers: counts per fetch, throughput, start, memory.

    Arms are measured in turn, each on a cluster of its own. Counts per fetch do not depend on how
    busy the machine is; times do, so look at their intervals.
    """
    from insync.cli.results import show_campaign
    from insync.overhead.campaign import overhead_of

    require_analysis("overhead")
    return show_campaign(overhead_of(request), options, as_json=json)
