"""`insync run`: run a scenario on real brokers, then compute tables, verdict and report."""

from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import (
    DEFAULT_ENGINE,
    AnyClusterOption,
    ClientOption,
    DefaultTimeouts,
    Engine,
    Json,
    KafkaOption,
    SparkConf,
    SparkMaster,
    UnknownMethods,
    analysis_options,
    events_option,
    existing_option,
    names,
)
from insync.extras import require_analysis
from insync.run.request import DEFAULT_CLUSTER, DEFAULT_KAFKA, RunRequest

EXAMPLES: Final = """\b
Examples:
  insync run kip-501 --scale 0.2
  insync run control --arms stock,off --out ./out
  insync run kip-501 --cluster docker
  insync run my.toml --cluster existing --bootstrap kafka-1:9092 --arms stock
  insync run kip-501 --client java --default-timeouts
  insync run my.toml --kafka 4.4.0 --repeat 5 --json
  insync run read-stall --kafka ./core/build/distributions/kafka_2.13-4.4.0-SNAPSHOT.tgz
  insync run kip-501 --events-topic insync-events
  insync run kip-501 --record-only --out ./out && insync report ./out
"""


def command(
    scenario: Annotated[str, typer.Argument(help="Name of a built-in scenario, or a TOML file.")],
    arms: Annotated[
        str | None, typer.Option(help="Comma-separated arms. Default: the scenario's.")
    ] = None,
    kafka: KafkaOption = DEFAULT_KAFKA,
    cluster: AnyClusterOption = DEFAULT_CLUSTER,
    bootstrap: Annotated[
        str | None, typer.Option(help="HOST:PORT,... of the brokers of --cluster existing.")
    ] = None,
    bridges: Annotated[
        Path | None,
        typer.Option(help="Folder with the connection files bridge-ID.json of their agents."),
    ] = None,
    controls: Annotated[
        Path | None,
        typer.Option(help="Folder with the control files stall-ID.control of their stall shims."),
    ] = None,
    allow_faults: Annotated[
        bool, typer.Option("--allow-faults", help="Let faults stall brokers of that cluster.")
    ] = False,
    scale: Annotated[float, typer.Option(help="Factor for every time of the scenario.")] = 1.0,
    repeat: Annotated[
        int | None, typer.Option(help="Repeats per arm. Default: the scenario's.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for record bytes, bursts and jitter.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(help="New or empty output folder. Default: ./insync-runs/<scenario>-<time>."),
    ] = None,
    keep_data: Annotated[
        bool, typer.Option("--keep-data", help="Keep the brokers' data even if all is as expected.")
    ] = False,
    record_only: Annotated[
        bool, typer.Option("--record-only", help="Only record; analyse later with `insync report`.")
    ] = False,
    events_topic: Annotated[
        str | None,
        typer.Option(help="Also publish the events to this topic, for `insync why --bootstrap`."),
    ] = None,
    events_bootstrap: Annotated[
        str | None,
        typer.Option(
            help="HOST:PORT of a cluster that has the topic. Default: each arm's own cluster."
        ),
    ] = None,
    client: ClientOption = None,
    default_timeouts: DefaultTimeouts = False,
    allow_unknown_methods: UnknownMethods = False,
    engine: Engine = DEFAULT_ENGINE,
    spark_master: SparkMaster = None,
    spark_conf: SparkConf = None,
    json: Json = False,
) -> int:
    """Run a scenario on real brokers; compute verdict and report.

    An engine computes the tables from which the verdict and the report are made.
    """
    from insync.cli.judge import analyse_and_show, show_recorded
    from insync.cli.output import TerminalProgress
    from insync.run.runner import run
    from insync.signals import interruptible

    if not record_only:
        require_analysis("run", "--record-only: `insync report` can analyse it elsewhere")
    request = RunRequest(
        scenario=scenario,
        arms=names(arms),
        kafka=kafka,
        cluster=cluster,
        scale=scale,
        repeats=repeat,
        seed=seed,
        out=out,
        keep_data=keep_data,
        events=events_option(events_topic, events_bootstrap),
        client=client,
        default_timeouts=default_timeouts,
        existing=existing_option(cluster, bootstrap, bridges, controls, allow_faults=allow_faults),
        unknown_methods=allow_unknown_methods,
    )
    analysis = analysis_options(engine, spark_master, spark_conf, needed_now=not record_only)
    with interruptible(), TerminalProgress() as progress:
        folder = run(request, progress)
        if record_only:
            return show_recorded(folder, progress, as_json=json)
        return analyse_and_show([folder], analysis, progress, as_json=json)
