"""`insync bugs`: play bugs of Kafka's past on the affected and on the fixed release."""

import json as jsons
from typing import Annotated, Final

import typer

from insync.cli.options import (
    DEFAULT_ENGINE,
    Engine,
    Json,
    MinutesOption,
    OutOption,
    ResumeOption,
    ShardOption,
    SparkConf,
    SparkMaster,
    analysis_options,
)
from insync.extras import require_analysis

EXAMPLES: Final = """\b
Examples:
  insync bugs --list
  insync bugs KAFKA-15583
  insync bugs --repeat 3 --out ./bugs
  insync bugs --repeat 3 --out ./bugs --resume
  insync bugs --shard 1/3 --json
"""


def command(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Bugs. Default: all.")
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="Only list the bugs, and those that did not show.")
    ] = False,
    repeat: Annotated[int, typer.Option(help="How often each bug is played.")] = 1,
    minutes: MinutesOption = None,
    out: OutOption = None,
    resume: ResumeOption = False,
    shard: ShardOption = None,
    side_by_side: Annotated[
        int, typer.Option(help="Releases to run at the same time, each on its own cluster.")
    ] = 2,
    engine: Engine = DEFAULT_ENGINE,
    spark_master: SparkMaster = None,
    spark_conf: SparkConf = None,
    json: Json = False,
) -> int:
    """Play bugs of Kafka's past on stock brokers: on an affected release and on the fixed one.

    A bug holds if it is found in every repeat on the affected release and in none on the fixed one.
    A repeat is void if a fault did not act or a cluster did not start.
    """
    from insync.bugs.campaign import WORDS, Bugs, tables_of
    from insync.bugs.corpus import chosen, tried
    from insync.cli.output import results_console
    from insync.cli.results import drawn, run_campaign, show_result
    from insync.engine.campaign import Options

    if list_:
        bugs = chosen(ids or ())
        if json:
            found = [each.model_dump(mode="json", exclude={"scenario"}) for each in bugs]
            print(jsons.dumps({"bugs": found, "tried": tried()}, indent=2))
        else:
            console = results_console(as_json=False)
            for table in tables_of(bugs, {}):
                console.print(drawn(table))
        return 0
    require_analysis("bugs")
    analysis = analysis_options(engine, spark_master, spark_conf)
    options = Options(out=out, resume=resume, shard=shard, minutes=minutes, analysis=analysis)
    return run_campaign(
        Bugs(ids or (), repeat, side_by_side),
        options,
        lambda found, folder: show_result(found, WORDS, folder, as_json=json),
    )
