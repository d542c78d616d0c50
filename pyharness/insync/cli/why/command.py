"""`insync why`: name the broker that is slow, and why, from a recorded run or from live agents."""

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from insync.cli.options import Json
from insync.events.topic import DEFAULT_TOPIC

if TYPE_CHECKING:
    from insync.why.answer import Answer

EXAMPLES: Final = """\b
Examples:
  insync why ./out
  insync why ./out --arm request --json
  insync why --bootstrap localhost:9092 --lag-ms 30000
  insync why --bootstrap localhost:9092 --minutes 60 --json
  insync why --bootstrap localhost:9092 --jmx 1=localhost:9991 --jmx 2=localhost:9992
"""
DEFAULT_LAG_MS: Final = 30_000.0


def command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Folder of a recorded run.")
    ] = None,
    arm: Annotated[str | None, typer.Option(help="Only this arm of the run.")] = None,
    bootstrap: Annotated[
        str | None, typer.Option(help="HOST:PORT of brokers that have the agents' topic.")
    ] = None,
    topic: Annotated[str, typer.Option(help="The topic of the events.")] = DEFAULT_TOPIC,
    minutes: Annotated[float, typer.Option(help="How far to look back in the topic.")] = 15.0,
    lag_ms: Annotated[
        float | None,
        typer.Option(
            help="replica.lag.time.max.ms of the brokers, if their agents' settings are not in the"
            f" topic. Default: {DEFAULT_LAG_MS:g}."
        ),
    ] = None,
    jmx: Annotated[
        list[str] | None,
        typer.Option(
            help="ID=HOST:PORT of a broker's JMX, for brokers without the agent; repeatable."
            " Then no topic is read."
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(help="Seconds between the two samples of JMX.")] = 4.0,
    json: Json = False,
) -> int:
    """Name the broker that was slow: its disk, its network or its process, where, and since when.

    Each finding has its evidence, and the followers that stock Kafka removes from the ISR because
    of it. The faults that a run injected are not read. The exit code is 0, 3 if a cause is not
    decided or nothing is known of the brokers, 2 for bad input.
    """
    from insync.cli.results import results_console
    from insync.cli.why.show import show
    from insync.errors import InputError
    from insync.outcome import Outcome

    if (folder is None) == (bootstrap is None):
        raise InputError("insync why: expected a folder or --bootstrap, one of them")
    for name, value in (("--lag-ms", lag_ms), ("--jmx", jmx)):
        if folder is not None and value is not None:
            raise InputError(f"{name}: expected --bootstrap with it, not a folder")
    if folder is None and arm is not None:
        raise InputError(f"--arm {arm}: expected a folder with it, not --bootstrap")
    if folder is not None:
        found = _recorded(folder, arm)
    elif jmx:
        found = _over_jmx(str(bootstrap), jmx, seconds)
    else:
        found = _live(str(bootstrap), topic, minutes, lag_ms)
    if json:
        print(jsonlib.dumps({"answers": [each.as_json() for each in found]}, indent=2))
    show(results_console(as_json=json), found)
    return 0 if all(each.is_complete for each in found) else Outcome.UNKNOWN.exit_code


def _recorded(folder: Path, arm: str | None) -> "list[Answer]":
    from insync.why import recorded

    return recorded.answers(folder, arm)


def _over_jmx(bootstrap: str, addresses: list[str], seconds: float) -> "list[Answer]":
    from insync.why.jmx import ask

    return ask.answers(bootstrap, addresses, seconds)


def _live(bootstrap: str, topic: str, minutes: float, lag_ms: float | None) -> "list[Answer]":
    from insync.why import live

    asked = live.Asked(
        bootstrap=bootstrap, topic=topic, minutes=minutes, lag_ms=lag_ms,
        default_lag_ms=DEFAULT_LAG_MS,
    )  # fmt: skip
    return live.answers(asked)
