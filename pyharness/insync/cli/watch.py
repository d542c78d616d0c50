"""`insync watch`: show, while they run, the runs that publish their events to a topic."""

import json as jsonlib
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import Json, SparkConf, SparkMaster, spark_options
from insync.errors import InputError, InsyncError
from insync.events.topic import DEFAULT_TOPIC
from insync.extras import require
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
            help="Folder for the events read so far; a restart continues from it."
            " Default: ./insync-watch/TOPIC-CLUSTER."
        ),
    ] = None,
    interval: Annotated[int, typer.Option(help="Seconds between two reads of the topic.")] = 5,
    min_isr: Annotated[
        int, typer.Option(help="min.insync.replicas of brokers that no run started.")
    ] = 2,
    once: Annotated[
        bool, typer.Option("--once", help="Read the existing events, show them, and exit.")
    ] = False,
    spark_master: SparkMaster = DEFAULT_MASTER,
    spark_conf: SparkConf = None,
    json: Json = False,
) -> int:
    """Show holds and ISR shrinks of runs while they publish events.

    The runs publish their events to a Kafka topic, see `insync run --events-topic`. Spark reads
    the topic as a stream and computes the same tables as from a run's files, over all events so
    far. Brokers that no run started are shown by topic, with the ISRs that their leaders
    proposed. Ctrl-C ends the command with exit code 0; the events read so far are kept.
    """
    require("analysis", "watch")
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
    spark = spark_options(spark_master, spark_conf)
    conf = dict(pair.split("=", 1) for pair in spark.conf)
    cluster = require_topic(bootstrap, topic)
    place = state or Path("insync-watch") / f"{topic}-{cluster}"
    followed = Asked(
        topic=Topic(topic, bootstrap, cluster),
        state=place,
        settings=SparkSettings(spark.master, conf),
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
            raise InsyncError(f"interrupted; the events so far are in {place}") from None
        print(f"insync: ended; the events so far are in {place}", file=sys.stderr)
    return 0
