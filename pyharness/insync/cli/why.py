"""`insync why`: name the broker that is slow, and why, from a recorded run or from live agents."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.markup import escape

from insync.cli.options import UNKNOWN, Json
from insync.cli.output import print_json, results_console
from insync.errors import InputError
from insync.events.schema import DEFAULT_TOPIC
from insync.why.rules import DEFAULT_LAG_MS

if TYPE_CHECKING:
    from insync.why.answer import Answer, Blamed, Finding

EXAMPLES: Final = """\b
Examples:
  insync why ./out
  insync why ./out --arm request --json
  insync why --logs 'logs/*/server.log*' --logs logs/controller.log.gz --tz Europe/Berlin
  insync why --bootstrap localhost:9092 --lag-ms 30000
  insync why --bootstrap localhost:9092 --minutes 60 --json
  insync why --bootstrap localhost:9092 --jmx 1=localhost:9991 --jmx 2=localhost:9992
"""


def command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Folder of a recorded run.")
    ] = None,
    arm: Annotated[str | None, "Only this arm of the run."] = None,
    logs: Annotated[
        list[str] | None,
        "Log file of a broker or a controller, folder with such, or glob; repeatable.",
    ] = None,
    broker_from: Annotated[
        str | None, "Regular expression whose group is the broker's id in a log's path."
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
    json: Json = False,
) -> int:
    """Name the broker that was slow: its disk, its network or its process, where, and since when.

    Each finding has its evidence, and the followers that stock Kafka removes from the ISR because
    of it. The faults that a run injected are not read. The exit code is 0, 3 if a cause is not
    decided or something could not be read, 2 for bad input.
    """
    if sum(each is not None for each in (folder, bootstrap, logs)) != 1:
        raise InputError("insync why: expected a folder, --logs or --bootstrap, one of them")
    for name, value in (("--lag-ms", lag_ms), ("--jmx", jmx)):
        if folder is not None and value is not None:
            raise InputError(f"{name}: expected --bootstrap with it, not a folder")
    if folder is None and arm is not None:
        raise InputError(f"--arm {arm}: expected a folder with it, not --bootstrap")
    if folder is not None:
        from insync.why import recorded

        found = recorded.answers(folder, arm)
    elif logs is not None:
        from insync.why import logs as logged

        found = logged.answers(logs, lag_ms, broker_from, tz)
    elif jmx:
        from insync.why.jmx import answers

        found = answers(str(bootstrap), jmx, seconds)
    else:
        from insync.why import live

        probe = live.Probe(
            bootstrap=str(bootstrap), topic=topic, minutes=minutes, lag_ms=lag_ms
        )  # fmt: skip
        found = live.answers(probe)
    if json:
        print_json({"answers": [asdict(each) for each in found]})
    console = results_console(as_json=json)
    for answer in found:
        console.print(
            f"[bold]{escape(answer.about)}[/]: {escape(_summary(answer))}", soft_wrap=True
        )
        for line in _lines(answer):
            console.print(escape(f"  {line}"), soft_wrap=True)
    return 0 if all(each.is_complete for each in found) else UNKNOWN


def _summary(answer: "Answer") -> str:
    if answer.blind:
        return f"nothing could be read: {'; '.join(answer.unread)}"
    count, seconds = len(answer.findings), answer.span.ms / 1000
    if count:
        return f"{count} finding{'s' if count > 1 else ''} in {seconds:.1f} s"
    where = "in what could be read, " if answer.unread else "in "
    return f"no slow broker found {where}{seconds:.1f} s"


def _lines(answer: "Answer") -> Iterator[str]:
    """Yield the findings with their evidence, and what is not known."""
    for finding in answer.findings:
        yield _headline(finding)
        yield from (f"  {evidence}" for evidence in finding.evidence)
        yield from (f"  {_blame(blamed)}" for blamed in finding.blamed)
        if not finding.blamed:
            yield "  stock Kafka: no follower was removed, or would have been, as far as is known"
    if not answer.blind:
        yield from (f"could not be read: {each}" for each in answer.unread)
    yield from (f"not known: {gap}" for gap in answer.gaps)


def _headline(finding: "Finding") -> str:
    from insync.why.answer import CAUSES

    names = " and ".join(map(str, finding.brokers))
    who = f"broker{'s' if finding.peer is not None else ''} {names}"
    left = f": {' or '.join(finding.may_be)}" if finding.may_be else ""
    what = f"{finding.cause}, {finding.site} ({CAUSES[finding.cause]}{left})"
    where = f"; {', '.join(map(str, finding.partitions))}" if finding.partitions else ""
    return (
        f"{who}: {what}; {_clock(finding.span.since_ms)} to {_clock(finding.span.until_ms)}{where}"
    )


def _blame(blamed: "Blamed") -> str:
    where = ", ".join(map(str, blamed.partitions)) or "partitions not known"
    did = "would remove" if blamed.kept else "removes"
    judged = "rightly" if blamed.rightly else "wrongly"
    kept = "; the agent kept it" if blamed.kept else ""
    return f"stock Kafka {did} follower {blamed.follower} ({judged}): {where}{kept}"


def _clock(at_ms: float) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%H:%M:%S.%f}"[:-3] + "Z"
