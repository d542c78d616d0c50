"""`insync kafka-tests`: run Kafka's own test classes on a build, and compare with a baseline."""

from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import Json, KafkaOption, UnknownMethods, names
from insync.run.request import DEFAULT_KAFKA

EXAMPLES: Final = """\b
Examples:
  insync kafka-tests --arms request
  insync kafka-tests --kafka 3.9.2 --out ./tests --resume
  insync kafka-tests --kafka ./my-kafka/libs --arms absent
  insync kafka-tests --short --json
"""


def command(
    kafka: KafkaOption = DEFAULT_KAFKA,
    arms: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated: absent (no agent), off, read, request, step-down, log-start."
            " Default: all."
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(help="A version or build without agent. Default: the released version."),
    ] = None,
    test_jars: Annotated[
        Path | None,
        typer.Option(
            help="Folder with Kafka's test jars and what they need. Default: Maven Central's."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="New or empty folder. Default: ./insync-runs/kafka-tests-<time>."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue in --out: run the classes it lacks.")
    ] = False,
    short: Annotated[bool, typer.Option("--short", help="Only some quick classes.")] = False,
    only: Annotated[
        str | None,
        typer.Option(help="Comma-separated names of classes, such as PartitionTest. Default: all."),
    ] = None,
    side_by_side: Annotated[int, typer.Option(help="JVMs to run at the same time.")] = 3,
    allow_unknown_methods: UnknownMethods = False,
    json: Json = False,
) -> int:
    """Run Kafka's own test classes on a build of Kafka, and compare test by test with a baseline.

    The baseline is the released version without the agent; its results are kept in the user's
    cache. A test that differs is run again up to twice; if it then ends as in the baseline it is
    flaky, which is not a difference.
    """
    from insync.cli.output import TerminalProgress
    from insync.cli.results import run_campaign, show_result
    from insync.engine.campaign import Options
    from insync.errors import InsyncError
    from insync.kafka_tests.jars import NoTestJarsError
    from insync.kafka_tests.request import TestsRequest, prepare
    from insync.kafka_tests.run import WORDS, KafkaTests

    request = TestsRequest(
        kafka=kafka,
        baseline=baseline,
        arms=names(arms),
        test_jars=test_jars,
        short=short,
        only=names(only),
        allow_unknown_methods=allow_unknown_methods,
    )
    with TerminalProgress() as progress:
        try:
            plan = prepare(request, progress.phase)
        except NoTestJarsError as error:
            raise InsyncError(f"unknown: {error}") from error
    return run_campaign(
        KafkaTests(plan, side_by_side),
        Options(out=out, resume=resume),
        lambda found, folder: show_result(found, WORDS, folder, as_json=json),
    )
