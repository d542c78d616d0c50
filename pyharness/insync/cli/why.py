"""`insync why`: name the broker that is slow, and why, from a recorded run or from live agents."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.markup import escape

from insync.cli.options import UNKNOWN, Json, require
from insync.cli.output import TerminalProgress, print_json, results_console
from insync.engines import AnalysisOptions
from insync.errors import InputError
from insync.events.schema import DEFAULT_TOPIC
from insync.why.rules import DEFAULT_LAG_MS

if TYPE_CHECKING:
    from insync.why.answer import Diagnosis

EXAMPLES: Final = """\b
Examples:
  insync why ./out
  insync why ./out --arm request --json
  insync why --logs ./logs --out incident.html --out incident.md
  insync why --logs 'logs/*/server.log*' --logs logs/controller.log.gz --tz Europe/Berlin
  insync why --logs s3a://bucket/logs --spark-master spark://host:7077 --out incident.html
  insync why --bootstrap localhost:9092 --lag-ms 30000
  insync why --bootstrap localhost:9092 --minutes 60 --json
  insync why --bootstrap localhost:9092 --jmx 1=localhost:9991 --jmx 2=localhost:9992
"""


def command(
    spark: Annotated[AnalysisOptions, "master", "conf"],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Folder of a recorded run.")
    ] = None,
    arm: Annotated[str | None, "Only this arm of the run."] = None,
    logs: Annotated[
        list[str] | None,
        "Log file of a broker or a controller, folder with such, or glob; repeatable. Spark reads"
        " those that are elsewhere, such as s3a://BUCKET/logs.",
    ] = None,
    broker_from: Annotated[
        str | None,
        "Regular expression whose group is the broker's id in a log's path, or in Prometheus' name"
        " of its host.",
    ] = None,
    prometheus: Annotated[
        str | None, "With --logs: URL of a Prometheus, or a file of its answers to query_range."
    ] = None,
    tz: Annotated[str, "Time zone of dates in logs that have none."] = "UTC",
    bootstrap: Annotated[str | None, "HOST:PORT of brokers that have the agents' topic."] = None,
    topic: Annotated[str, "The topic of the events."] = DEFAULT_TOPIC,
    minutes: Annotated[float, "How far to look back in the topic."] = 15.0,
    lag_ms: Annotated[
        float | None,
        "replica.lag.time.max.ms of the brokers, if neither the topic nor the logs have"
        f" it. Default: {DEFAULT_LAG_MS:g}.",
    ] = None,
    jmx: Annotated[
        list[str] | None,
        "ID=HOST:PORT of a broker's JMX, for brokers without the agent; repeatable."
        " Then no topic is read.",
    ] = None,
    seconds: Annotated[float, "Seconds between the two samples of JMX."] = 4.0,
    out: Annotated[
        list[Path] | None, "FILE.html for a page, FILE.md for an incident report; repeatable."
    ] = None,
    redact: Annotated[
        bool, typer.Option("--redact", help="Replace the names of topics, files and hosts.")
    ] = False,
    json: Json = False,
) -> int:
    """Name the broker that was slow: its disk, its network or its process, where, and since when.

    Each finding has its evidence, and the followers that stock Kafka removes from the ISR because
    of it. The faults that a run injected are not read. The exit code is 0, 3 if a cause is not
    decided or something could not be read, 2 for bad input.
    """
    for file in out or ():
        if file.suffix not in (".html", ".md"):
            raise InputError(f"--out {file}: expected a name that ends with .html or .md")
    if sum(each is not None for each in (folder, bootstrap, logs)) != 1:
        raise InputError("insync why: expected a folder, --logs or --bootstrap, one of them")
    for name, value in (("--lag-ms", lag_ms), ("--jmx", jmx)):
        if folder is not None and value is not None:
            raise InputError(f"{name}: expected --bootstrap with it, not a folder")
    if logs is None and spark.spark_because is not None:
        raise InputError(f"{spark.spark_because}: expected --logs with it")
    if logs is None and prometheus is not None:
        raise InputError(f"--prometheus {prometheus}: expected --logs with it")
    if folder is None and arm is not None:
        raise InputError(f"--arm {arm}: expected a folder with it, not --bootstrap")
    if folder is not None:
        from insync.why.sources import recorded

        found = recorded.answers(folder, arm)
    elif logs is not None:
        from insync.why.sources import logs as logged

        with TerminalProgress() as progress:
            if because := logged.spark_because(logs, spark):
                require("insync why", spark)
                progress.phase(f"Apache Spark reads the logs, because of {because}")
            found = logged.answers(logs, lag_ms, broker_from, tz, prometheus, spark)
    elif jmx:
        from insync.why.sources.jmx import answers

        found = answers(str(bootstrap), jmx, seconds)
    else:
        from insync.why.sources import live

        probe = live.Probe(
            bootstrap=str(bootstrap), topic=topic, minutes=minutes, lag_ms=lag_ms
        )  # fmt: skip
        found = live.answers(probe)
    from insync.why import words

    if redact:
        from insync.why.redact import redacted

        found = redacted(found)
    if json:
        print_json({"answers": [asdict(each) for each in found]})
    console = results_console(as_json=json)
    for answer in found:
        said = escape(words.summary(answer))
        console.print(f"[bold]{escape(answer.about)}[/]: {said}", soft_wrap=True)
        for line in words.terminal_lines(answer):
            console.print(escape(f"  {line}"), soft_wrap=True)
    for file in out or ():
        _write(file, found)
        console.print(escape(f"written: {file}"), soft_wrap=True)
    return 0 if all(each.is_complete for each in found) else UNKNOWN


def _write(file: Path, found: Sequence["Diagnosis"]) -> None:
    from insync.events.writer import write_atomic

    if file.suffix == ".md":
        from insync.why.words import markdown as rendered
    else:
        from insync.why.page import page as rendered
    try:
        write_atomic(file, rendered(found))
    except OSError as error:
        raise InputError(f"--out {file}: {error.strerror}, expected a file to write") from None
