"""`insync verify`: judge a Kafka build beside a baseline, level by level."""

from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import (
    DEFAULT_ENGINE,
    KAFKA_HELP,
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
from insync.run.request import DEFAULT_KAFKA
from insync.verify.levels import NAMES

EXAMPLES: Final = """\b
Examples:
  insync verify
  insync verify --kafka 3.9.2
  insync verify --kafka ./patched/libs --no-agent --config num.replica.fetchers=2
  insync verify --kafka ./kafka_2.13-4.4.0-SNAPSHOT.tgz --no-agent --baseline 4.3.1
  insync verify --image my/kafka:4.3.1 --level weave
  insync verify --only read-stall --seeds none --repeats 12 --out ./out
  insync verify --out ./out --resume
"""


def command(
    kafka: Annotated[
        str | None,
        typer.Option(help=f"{KAFKA_HELP} Default: {DEFAULT_KAFKA}.", callback=exact_kafka),
    ] = None,
    image: Annotated[
        str | None, typer.Option(help="An image of the local engine, of which the jars are taken.")
    ] = None,
    agent: Annotated[
        bool, typer.Option("--agent/--no-agent", help="Judge the build with the agent, or alone.")
    ] = True,
    arm: Annotated[
        str | None,
        typer.Option(help="The candidate's arm with the agent. Default: request, or the best one."),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option(help="Broker config KEY=VALUE of the candidate; repeatable."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            help="Version or path to compare with. Default: the same build without the agent;"
            " with --no-agent the published version of the build."
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            help=f"Comma-separated: {', '.join(sorted(NAMES))}; or all. Default: weave,faults."
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated scenarios or groups of the level faults. Default: sites."
        ),
    ] = None,
    seeds: Annotated[
        str, typer.Option(help="Seeds A-B of the fuzz in the level faults, or none.")
    ] = "1-6",
    repeats: Annotated[
        int, typer.Option(help="Repeats of each scenario. An interval needs 6 or more.")
    ] = 1,
    scale: Annotated[
        float | None, typer.Option(help="Factor for every time. Default: that of the group.")
    ] = None,
    criteria: Annotated[
        Path | None, typer.Option(help="TOML file of pass criteria. Default: insync's own.")
    ] = None,
    allow_unknown_methods: UnknownMethods = False,
    out: Annotated[
        Path | None,
        typer.Option(help="New or empty output folder. Default: ./insync-runs/verify-<time>."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the verification in --out, of the same builds."),
    ] = False,
    engine: Engine = DEFAULT_ENGINE,
    spark_master: SparkMaster = None,
    spark_conf: SparkConf = None,
    json: Json = False,
) -> int:
    """Judge a Kafka build: what the agent would weave there, and how its brokers stand faults.

    Candidate and baseline run the same scenarios and random faults at the same time, each on its
    own cluster. The checker, the expectations of the scenarios and the criteria judge the
    candidate; with enough repeats also exact tests of paired differences. Leaves one page, JUnit
    XML and verdict.json. A level that cannot run is unknown; the others still run.
    """
    require_analysis("verify")
    from insync.cli.results import run_campaign, show_result
    from insync.engine.campaign import Options
    from insync.verify.campaign import WORDS, prepare_verify
    from insync.verify.request import VerifyRequest

    request = VerifyRequest(
        kafka=kafka,
        image=image,
        agent=agent,
        arm=arm,
        settings=tuple(config or ()),
        baseline=baseline,
        levels=names(level),
        only=names(only),
        seeds=seeds,
        repeats=repeats,
        scale=scale,
        criteria=criteria,
        unknown_methods=allow_unknown_methods,
    )
    analysis = analysis_options(engine, spark_master, spark_conf)
    options = Options(out=out, resume=resume, analysis=analysis)
    return run_campaign(
        prepare_verify(request),
        options,
        lambda found, folder: show_result(found, WORDS, folder, as_json=json),
    )
