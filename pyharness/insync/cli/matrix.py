"""`insync matrix`: every site of a stall on every arm, as one table."""

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import (
    KAFKAS,
    ClusterOption,
    Json,
    SparkConf,
    SparkMaster,
    names,
    spark_options,
)
from insync.matrix.plan import MatrixRequest
from insync.run.request import DEFAULT_CLUSTER, DEFAULT_KAFKA, DEFAULT_MASTER

EXAMPLES: Final = """\b
Examples:
  insync matrix
  insync matrix --kafka 4.3.1,3.9.2 --out ./out
  insync matrix --cluster docker --only freeze
  insync matrix --only read-stall,send-stall --arms stock,request --repeat 10
  insync matrix --only step-down --kafka 4.3.1,3.9.2
  insync matrix --only freeze --json > matrix.json
  insync report ./out    # what a matrix that was cut short had recorded
"""


def command(
    kafka: Annotated[str, typer.Option(help=f"Comma-separated, of {KAFKAS}.")] = DEFAULT_KAFKA,
    cluster: ClusterOption = DEFAULT_CLUSTER,
    only: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated scenarios, or groups of them: sites, kafka-7104, policies,"
            " step-down. Else every site of a stall."
        ),
    ] = None,
    repeat: Annotated[
        int | None, typer.Option(help="Repeats per cell. Else the scenarios'.")
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(help="Comma-separated arms. Else the scenarios' own, as supported."),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(help="Multiplies every time. Else 0.25 for most of step-down, 1 for others."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="New or empty folder. Else ./insync-runs/matrix-<time>.")
    ] = None,
    side_by_side: Annotated[
        int | None,
        typer.Option(help="Arms at a time, each on its cluster. Else 2, of some groups 4 or 8."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides the bytes of the records.")] = 1,
    spark_master: SparkMaster = DEFAULT_MASTER,
    spark_conf: SparkConf = None,
    json: Json = False,
) -> int:
    """Stall the leader wherever it can stall, on every arm, and show who lost whom.

    One cluster per arm plays all scenarios in turn. Prints and draws one table, scenarios by
    arms: ISR shrinks, time under min ISR, longest gap between acks; of the group step-down also
    time offline, until a dead follower was out, and leader changes. A cell that is not what
    the scenario expects of its arm is marked. Each scenario's run is a run folder of its own,
    OUT/KAFKA/SCENARIO.
    """
    from insync.cli.judge import analyse_and_show_matrix
    from insync.cli.progress import TerminalProgress
    from insync.events.matrix_info import is_matrix
    from insync.matrix.plan import prepare_matrix
    from insync.matrix.runner import record_matrix
    from insync.signals import interruptible

    request = MatrixRequest(
        kafka=names(kafka) or (),
        cluster=cluster,
        only=names(only),
        arms=names(arms),
        repeats=repeat,
        scale=scale,
        seed=seed,
        out=out,
        at_once=side_by_side,
    )
    spark = spark_options(spark_master, spark_conf)
    with interruptible(), TerminalProgress() as progress:
        plan = prepare_matrix(request, progress)
        try:
            wrong = record_matrix(plan, progress)
            return analyse_and_show_matrix(plan.out, spark, progress, wrong=wrong, as_json=json)
        except BaseException:  # Ctrl-C too: what ended by then need not be run again
            progress.stop()
            if is_matrix(plan.out):
                print(f"to judge what was recorded: insync report {plan.out}", file=sys.stderr)
            raise
