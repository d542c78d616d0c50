"""`insync matrix`: run many scenarios on many arms, and show the results as one table."""

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import (
    DEFAULT_ENGINE,
    KAFKA_HELP,
    ClientOption,
    ClusterOption,
    DefaultTimeouts,
    Engine,
    Json,
    SparkConf,
    SparkMaster,
    UnknownMethods,
    analysis_options,
    exact_kafka,
    names,
)
from insync.extras import require_analysis
from insync.matrix.plan import MatrixRequest
from insync.run.request import DEFAULT_CLUSTER, DEFAULT_KAFKA

EXAMPLES: Final = """\b
Examples:
  insync matrix
  insync matrix --kafka 4.3.1,3.9.2 --out ./out
  insync matrix --client java
  insync matrix --cluster docker --only freeze
  insync matrix --only read-stall,send-stall --arms stock,request --repeat 10
  insync matrix --only step-down --kafka 4.3.1,3.9.2
  insync matrix --only freeze --json > matrix.json
  insync report ./out    # analyse what an interrupted matrix recorded
"""


def command(
    kafka: Annotated[
        str, typer.Option(help=f"Comma-separated. {KAFKA_HELP}", callback=exact_kafka)
    ] = DEFAULT_KAFKA,
    cluster: ClusterOption = DEFAULT_CLUSTER,
    only: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated scenarios, or groups: sites, article, false-alarms, kafka-7104,"
            " policies, slow-disk, slow-link, step-down. Default: the group sites."
        ),
    ] = None,
    repeat: Annotated[
        int | None, typer.Option(help="Repeats per cell. Default: those of the scenarios.")
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated arms. Default: those of the scenarios that the version supports."
        ),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(
            help="Factor for every time. Default: 0.25 for most of the group step-down, else 1."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="New or empty output folder. Default: ./insync-runs/matrix-<time>."),
    ] = None,
    side_by_side: Annotated[
        int | None,
        typer.Option(
            help="Arms to run at the same time (1 to 64), each on its own cluster."
            " Default: 2, for some groups 4 or 8."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for record bytes, bursts and jitter.")] = 1,
    client: ClientOption = None,
    default_timeouts: DefaultTimeouts = False,
    allow_unknown_methods: UnknownMethods = False,
    engine: Engine = DEFAULT_ENGINE,
    spark_master: SparkMaster = None,
    spark_conf: SparkConf = None,
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
    from insync.cli.judge import analyse_and_show_matrix
    from insync.cli.progress import TerminalProgress
    from insync.engine.recording import record
    from insync.events.matrix_info import is_matrix
    from insync.matrix.plan import prepare_matrix
    from insync.signals import interruptible

    require_analysis("matrix", "`insync run --record-only` for each scenario")
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
        client=client,
        default_timeouts=default_timeouts,
        unknown_methods=allow_unknown_methods,
    )
    analysis = analysis_options(engine, spark_master, spark_conf)
    with interruptible(), TerminalProgress() as progress:
        plan, at_once = prepare_matrix(request, progress)
        try:
            wrong = record([plan], progress, at_once)
            return analyse_and_show_matrix(
                plan.folder, analysis, progress, wrong=wrong, as_json=json
            )
        except BaseException:  # also on Ctrl-C: finished scenarios need not run again
            progress.stop()
            if is_matrix(plan.folder):
                print(f"to analyse what was recorded: insync report {plan.folder}", file=sys.stderr)
            raise
