"""`insync verify`: judge a Kafka build beside a baseline, level by level."""

from typing import Annotated, Final

from insync.cli.options import Json, require
from insync.engine.campaign import Options
from insync.verify.request import VerifyRequest

EXAMPLES: Final = """\b
Examples:
  insync verify
  insync verify --kafka 3.9.2
  insync verify --kafka ./patched/libs --no-agent --arm patched
  insync verify --kafka ./kafka_2.13-4.4.0-SNAPSHOT.tgz --no-agent --baseline 4.3.1
  insync verify --kafka ./my-libs --level weave
  insync verify --only read-stall --seeds none --repeats 12 --out ./out
  insync verify --out ./out --resume
"""


def command(
    request: VerifyRequest,
    options: Annotated[Options, "out", "resume", "analysis"],
    json: Json = False,
) -> int:
    """Judge a Kafka build: what the agent would weave there, and how its brokers stand faults.

    Candidate and baseline run the same scenarios and random faults at the same time, each on its
    own cluster. The checker, the expectations of the scenarios and the criteria judge the
    candidate. Leaves one page, JUnit XML and verdict.json. A level that cannot run is unknown; the
    others still run.
    """
    require("verify", options.analysis)
    from insync.cli.results import show_campaign
    from insync.verify.campaign import prepare_verify

    return show_campaign(prepare_verify(request), options, as_json=json)
