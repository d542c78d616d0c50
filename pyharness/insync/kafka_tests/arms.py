"""The arms of Kafka's tests: the options of the agent in each, and the signs that it acted.

Kafka's tests write their own broker settings, so an arm changes the defaults that these meet.
"""

import json
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from insync import arms
from insync.arms import FEATURE, PROCESS_TIME
from insync.artifacts import AGENT_JAR, LAB_JAR
from insync.brokers.kafka.cache import woven_classes
from insync.errors import InputError

ABSENT: Final = "absent"
"""No agent: of a released version this is the baseline itself."""
EVENTS: Final = "events.jsonl"
_STEP_DOWN_MS: Final = "500"
"""KIP-501's own example of this time."""
_ERROR: Final = re.compile(r"\[insync\] error in .*$", re.MULTILINE)


WITH_AGENT: Final = {
    **{name: name for name in ("off", "read", "request", "step-down")},
    "log-start": "both",
}
"""Each arm with the agent, and the arm of brokers that it is, which the version must support."""


def defaults(arm: str) -> dict[str, str]:
    """Return the defaults of configs that the brokers' own settings do not set."""
    time = {PROCESS_TIME: _STEP_DOWN_MS} if arms.steps_down(WITH_AGENT[arm]) else {}
    return {**arms.settings(WITH_AGENT[arm]), **time}


def flag(arm: str, folder: Path, *, unknown_methods: bool) -> str:
    """Return the JVM's flag; the agent writes its events into `folder`."""
    events = folder / EVENTS
    if "," in str(events):  # it separates the options
        raise InputError(f"--out: the path {events} has a comma, expected one without")
    cache = woven_classes().absolute()
    words = [f"lab={LAB_JAR.absolute()}", f"events={events}"]
    words += [f"default.{name}={value}" for name, value in defaults(arm).items()]
    words += [] if "," in str(cache) else [f"cache={cache}"]
    words += ["unknown-methods=allow"] if unknown_methods else []
    return f"-javaagent:{AGENT_JAR.absolute()}={','.join(words)}"


def problems(
    arm: str,
    events: Iterable[Path],
    outputs: Iterable[Path],
    agent: Collection[dict[str, int] | None],
    *,
    brokers: bool,
) -> list[str]:
    """Return the signs that an arm was not what its name says, or that our own code failed.

    `agent` is what the agent did during each class, None if it was not there. Only where a class
    started `brokers` must there be settings, and marks in an arm that makes them.
    """
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in outputs]
    found = [line for text in texts for line in _ERROR.findall(text)]
    if None in agent:
        found.append("no agent in the JVM of a class")
    did = [each for each in agent if each is not None]
    errors = sum(each.get("errors", 0) for each in did)
    if errors and not found:
        found.append(f"errors in the agent's code: {errors}")
    lines = [line for file in events for line in file.read_text(encoding="utf-8").splitlines()]
    settings = [event for event in map(json.loads, lines)
                if event["type"] in ("settings", "step_down_settings")]  # fmt: skip
    typed = {"true": True, _STEP_DOWN_MS: int(_STEP_DOWN_MS)}
    expected = {FEATURE: False, **{k: typed.get(v, v) for k, v in defaults(arm).items()}}
    for event in settings:
        for name, wanted in expected.items():
            if event.get(name, wanted) != wanted:
                found.append(f"{name}={event[name]} in a broker, expected {wanted}")
    missing = expected.keys() - {name for event in settings for name in event}
    if brokers and missing:
        found.append(f"no broker told its {', '.join(sorted(missing))}")
    marks, marked = sum(each.get("marks_total", 0) for each in did), expected[FEATURE]
    if (marks and not marked) or (brokers and marked and not marks):
        found.append(f"marks made: {marks}, expected {'some' if marked else 'none'}")
    return list(dict.fromkeys(found))
