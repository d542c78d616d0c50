"""`insync watch`: how the runs fare whose events go to a topic, while they go on."""

import json as jsonlib
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import Json, SparkConf, SparkMaster, spark_options
from insync.errors import InputError, InsyncError
from insync.events.topic import DEFAULT_TOPIC
from insync.run.request import DEFAULT_MASTER

EXAMPLES: Final = """\b
Examples:
  insync watch --bootstrap localhost:9092
  insync watch --bootstrap "$(cat out/nodes/plugin/events-bootstrap)"
  insync watch --bootstrap localhost:9092 --topic insync-events --once --json
  insync watch --bootstrap localhost:9092 --state ./watched --interval 30
"""


def command(
    bootstrap: Annotated[str, typer.Option(help="HOST:PORT of brokers that have the topic.")],
    topic: Annotated[str, typer.Option(help="The topic of the events.")] = DEFAULT_TOPIC,
    state: Annotated[
        Path | None,
        typer.Option(
            help="Folder of what came so far, from which a restart goes on."
            " Else ./insync-watch/TOPIC-CLUSTER."
        ),
    ] = None,
    interval: Annotated[int, typer.Option(help="Seconds between two looks at the topic.")] = 5,
    min_isr: Annotated[
        int, typer.Option(help="min.insync.replicas where brokers belong to no run.")
    ] = 2,
    once: Annotated[
        bool, typer.Option("--once", help="Read what is there, show it, and end.")
    ] = False,
    spark_master: SparkMaster = DEFAULT_MASTER,
    spark_conf: SparkConf = None,
    json: Json = False,
) -> int:
    """Show holds, shrinks and the time under min ISR of runs that send their events to a topic.

    Spark reads the topic as a stream and computes the same tables as of a run's files, of all
    that came so far. Brokers that no run started are shown by their topics, with the ISRs
    that their leaders proposed. Ctrl-C ends it, with exit code 0; what came is kept.
    """
    from insync.analysis.tables.spark.session import SparkSettings
    from insync.analysis.tables.streaming.stream import Topic
    from insync.analysis.tables.streaming.watch import Asked, Picture, watch_topic
    from insync.brokers.cluster.admin import require_topic
    from insync.cli.watch_table import Screen

    if interval <= 0:
        raise InputError(f"--interval {interval}: expected seconds, 1 or more")
    if min_isr <= 0:
        raise InputError(f"--min-isr {min_isr}: expected 1 or more")
    if json and not once:
        raise InputError("--json: expected --once with it")
    asked = spark_options(spark_master, spark_conf)
    conf = dict(pair.split("=", 1) for pair in asked.conf)
    cluster = require_topic(bootstrap, topic)
    place = state or Path("insync-watch") / f"{topic}-{cluster}"
    followed = Asked(
        topic=Topic(topic, bootstrap, cluster),
        state=place,
        settings=SparkSettings(asked.master, conf),
        interval_s=None if once else interval,
        min_isr=min_isr,
    )

    def print_json(picture: Picture) -> None:
        print(jsonlib.dumps(picture.as_dict(), indent=2))

    try:
        with Screen(live=not once) as screen:
            watch_topic(followed, screen.tell, print_json if json else screen.show)
    except KeyboardInterrupt:
        if once:
            raise InsyncError(f"interrupted; what came is in {place}") from None
        print(f"insync: ended; what came is in {place}", file=sys.stderr)
    return 0
