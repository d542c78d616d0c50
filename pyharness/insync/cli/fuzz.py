"""`insync fuzz`: run random fault schedules, judge them with the checker, reduce what fails."""

from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import (
    DEFAULT_ENGINE,
    Engine,
    Json,
    KafkaOption,
    SparkConf,
    SparkMaster,
    UnknownMethods,
    analysis_options,
    names,
)
from insync.extras import require_analysis
from insync.outcome import Outcome
from insync.result import Result
from insync.run.request import DEFAULT_KAFKA

EXAMPLES: Final = """\b
Examples:
  insync fuzz --seeds 1-60
  insync fuzz --seeds 1-1000 --minutes 30 --out ./fuzz
  insync fuzz --seeds 1-1000 --out ./fuzz --resume
  insync fuzz --seeds 1-60 --shard 2/3 --arms request
  insync fuzz --seeds 1-60 --shape late-write
  insync fuzz --seeds 1-60 --kafka ./my-kafka/libs --arms stock
"""


def command(
    seeds: Annotated[str, typer.Option(help="The seeds A-B; a seed is a scenario.")],
    minutes: Annotated[
        float | None,
        typer.Option(help="Begin nothing that would end later. Default: run all seeds."),
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated arms. Default: stock,request,step-down; of the shape late-write"
            " stock,step-down,step-down-keep."
        ),
    ] = None,
    kafka: KafkaOption = DEFAULT_KAFKA,
    shape: Annotated[
        str,
        typer.Option(help="any, or late-write: a leader's append ends after leadership moved."),
    ] = "any",
    out: Annotated[
        Path | None,
        typer.Option(help="New or empty output folder. Default: ./insync-runs/fuzz-<time>."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the fuzz in --out: run the seeds it lacks.")
    ] = False,
    shard: Annotated[
        str | None, typer.Option(help="I/N: run every N-th seed from the I-th on.")
    ] = None,
    side_by_side: Annotated[
        int, typer.Option(help="Arms to run at the same time (1 to 16), each on its own cluster.")
    ] = 2,
    broker_config: Annotated[
        list[str] | None,
        typer.Option(help="Broker config KEY=VALUE for every node; repeatable."),
    ] = None,
    allow_unknown_methods: UnknownMethods = False,
    engine: Engine = DEFAULT_ENGINE,
    spark_master: SparkMaster = None,
    spark_conf: SparkConf = None,
    json: Json = False,
) -> int:
    """Run random fault schedules on real brokers; judge them and reduce those that fail.

    A seed is a scenario with one to five faults. Ten seeds share a cluster per arm, and one
    analysis. A finding is an integrity violation, an error of an agent, or a cluster that does not
    come back. A failing seed is replayed and reduced to a scenario file for `insync run`.
    """
    from insync.cli.results import run_campaign
    from insync.engine.campaign import Options
    from insync.fuzz.campaign import Fuzz
    from insync.fuzz.request import FuzzRequest

    require_analysis("fuzz")
    request = FuzzRequest(
        seeds=seeds,
        arms=names(arms),
        kafka=kafka,
        shape=shape,
        at_once=side_by_side,
        settings=tuple(broker_config or ()),
        unknown_methods=allow_unknown_methods,
        out=out,
    )
    analysis = analysis_options(engine, spark_master, spark_conf)
    options = Options(out=out, resume=resume, shard=shard, minutes=minutes, analysis=analysis)
    return run_campaign(
        Fuzz(request), options, lambda found, folder: show(found, folder, as_json=json)
    )


def show(found: Result, folder: Path, *, as_json: bool) -> Outcome:
    """Print what was found; a reduced scenario is printed as its file, to be run again."""
    from insync.cli.output import results_console
    from insync.cli.results import show_result
    from insync.fuzz.campaign import REDUCED, WORDS

    outcome = show_result(found, WORDS, folder, as_json=as_json)
    console = results_console(as_json=as_json)
    for file in sorted((folder / REDUCED).glob("*.toml")):
        text = f"# insync run {file}\n{file.read_text(encoding='utf-8')}"
        console.print(text, soft_wrap=True, markup=False)
    return outcome
