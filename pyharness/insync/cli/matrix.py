"""`insync matrix`: run many scenarios on many arms, and show the results as one table."""

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
    OutOption,
    ResumeOption,
    ShardOption,
    SparkConf,
    SparkMaster,
    UnknownMethods,
    analysis_options,
    exact_kafka,
    names,
)
from insync.extras import require_analysis
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
  insync matrix --out ./out --resume    # run what an interrupted matrix lacks
  insync matrix --shard 1/3 --out ./out-1
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
            help="Factor for every time. Default: 0.5 for most of the group step-down, otherwise 1."
        ),
    ] = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    shard: ShardOption = None,
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
    from insync.cli.judge import show_analysed_matrix
    from insync.cli.results import run_campaign
    from insync.engine.campaign import Options
    from insync.matrix.campaign import Matrix, MatrixRequest

    require_analysis("matrix", "`insync run --record-only` for each scenario")
    request = MatrixRequest(
        kafka=names(kafka) or (),
        cluster=cluster,
        only=names(only),
        arms=names(arms),
        repeats=repeat,
        scale=scale,
        seed=seed,
        at_once=side_by_side,
        client=client,
        default_timeouts=default_timeouts,
        unknown_methods=allow_unknown_methods,
    )
    analysis = analysis_options(engine, spark_master, spark_conf)
    options = Options(out=out, resume=resume, shard=shard, analysis=analysis)
    return run_campaign(
        Matrix(request), options, lambda _, folder: show_analysed_matrix(folder, as_json=json)
    )
