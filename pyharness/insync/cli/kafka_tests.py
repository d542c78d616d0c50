"""`insync kafka-tests`: run Kafka's own test classes on a build, and compare with a baseline."""

from typing import Annotated, Final

from insync.cli.options import Json
from insync.engine.campaign import Options
from insync.kafka_tests.request import TestsRequest

EXAMPLES: Final = """\b
Examples:
  insync kafka-tests --arms request
  insync kafka-tests --kafka 3.9.2 --out ./tests --resume
  insync kafka-tests --kafka ./my-kafka/libs --arms absent
  insync kafka-tests --short --json
"""


def command(
    request: TestsRequest, options: Annotated[Options, "out", "resume"], json: Json = False
) -> int:
    """Run Kafka's own test classes on a build of Kafka, and compare test by test with a baseline.

    The baseline is the released version without the agent; its results are kept in the user's
    cache. A test that differs is run again up to twice; if it then ends as in the baseline it is
    flaky, which is not a difference.
    """
    from insync.cli.output import TerminalProgress
    from insync.cli.results import show_campaign
    from insync.kafka_tests.request import prepare
    from insync.kafka_tests.run import KafkaTests

    with TerminalProgress() as progress:
        plan = prepare(request, progress.phase)
    return show_campaign(KafkaTests(plan), options, as_json=json)
