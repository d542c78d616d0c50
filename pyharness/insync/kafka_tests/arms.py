"""The arms of Kafka's tests: the options of the agent in each, and the signs that it acted.

Kafka's tests write their own broker settings, so an arm changes the defaults that these meet.
"""

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

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


@dataclass(frozen=True, slots=True)
class TestArm:
    """One arm with the agent, for which the version must support brokers `as_arm`."""

    __test__ = False  # pytest would collect it

    as_arm: str

    @property
    def defaults(self) -> dict[str, str]:
        """The defaults of configs that the brokers' own settings do not set."""
        time = {PROCESS_TIME: _STEP_DOWN_MS} if arms.steps_down(self.as_arm) else {}
        return {**arms.settings(self.as_arm), **time}

    @property
    def settings(self) -> dict[str, Any]:
        """What the brokers' events must say."""
        typed = {"true": True, _STEP_DOWN_MS: int(_STEP_DOWN_MS)}
        return {FEATURE: False, **{k: typed.get(v, v) for k, v in self.defaults.items()}}

    @property
    def marks(self) -> bool:
        """Whether fetches must be marked where a class starts brokers."""
        return arms.feature_on(self.as_arm)

    def flag(self, folder: Path, *, allow_unknown: bool) -> str:
        """Return the JVM's flag; the agent writes its events into `folder`."""
        events = folder / EVENTS
        if "," in str(events):  # it separates the options
            raise InputError(f"--out: the path {events} has a comma, expected one without")
        cache = woven_classes().absolute()
        words = [f"lab={LAB_JAR.absolute()}", f"events={events}"]
        words += [f"default.{name}={value}" for name, value in self.defaults.items()]
        words += [] if "," in str(cache) else [f"cache={cache}"]
        words += ["unknown-methods=allow"] if allow_unknown else []
        return f"-javaagent:{AGENT_JAR.absolute()}={','.join(words)}"


WITH_AGENT: Final = {
    **{name: TestArm(name) for name in ("off", "read", "request", "step-down")},
    "log-start": TestArm("both"),
}


def problems(
    arm: TestArm,
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
    for event in settings:
        for name, wanted in arm.settings.items():
            if event.get(name, wanted) != wanted:
                found.append(f"{name}={event[name]} in a broker, expected {wanted}")
    told = {name for event in settings for name in event}
    if brokers and not arm.settings.keys() <= told:
        missing = ", ".join(sorted(arm.settings.keys() - told))
        found.append(f"no broker told its {missing}")
    marks = sum(each.get("marks_total", 0) for each in did)
    if (marks and not arm.marks) or (brokers and arm.marks and not marks):
        found.append(f"marks made: {marks}, expected {'some' if arm.marks else 'none'}")
    return list(dict.fromkeys(found))
